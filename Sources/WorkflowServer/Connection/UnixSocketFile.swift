// If Swift's libraries are linked statically, `stat` belongs to the module CDispatch.
import CDispatch
import Foundation
import ServiceLifecycle
import Synchronization

/// The file of a unix socket: checked before it is bound, watched while it is in use, removed when its server stops.
final class UnixSocketFile: Sendable {
    /// The identity of a file that a path names. While the socket is open, no other file has its number.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t
    }

    private enum State {
        case unbound
        /// The socket was not bound or is lost, and its file is left alone.
        case abandoned
        /// The identity of the bound file; `nil` if the file was gone at once.
        case bound(Identity?)
    }

    /// The path at which the socket is bound. The socket gets its own name when it is ready. When NIO closes the
    /// socket, it removes the name that it bound, whatever file has that name by then.
    let bindingPath: String
    private let path: String
    private let state = Mutex(State.unbound)
    /// The temporary names at which this process is binding sockets now.
    private static let binding = Mutex<Set<String>>([])

    /// Prepares a path for a socket. Refuses, and leaves alone, a file that another server answers on, that is not a
    /// socket, or that belongs to another user. A socket that a killed server left is removed when the new one is
    /// bound.
    ///
    /// - Parameter number: The number of the socket, if it is not the first on this path.
    init(path: String, number: Int = 0) throws(ListenAddressError) {
        self.path = path
        // The name is as long as the path, which may have the maximum length.
        let marks = ["~", "+", "%", "=", "@", "^", "!", ","].filter { !path.hasSuffix($0) }
        let names: [String] = marks.map { String(path.dropLast()) + $0 }
        // Two sockets in one folder may be bound at the same time, so each has a name of its own.
        bindingPath = Self.binding.withLock { taken in
            let free = (0..<names.count).map { names[($0 + number) % names.count] }.first { !taken.contains($0) }
            let name = free ?? names[number % names.count]
            taken.insert(name)
            return name
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenAddressError("unix:\(path)", "a file that is no socket is there already")
        }
        let user = geteuid()
        guard user == 0 || status.st_uid == 0 || status.st_uid == user else {
            throw ListenAddressError(
                "unix:\(path)", "a socket of another user (uid \(status.st_uid)) is there already")
        }
        if Self.isAnswered(path) {
            throw ListenAddressError("unix:\(path)", "another process is listening there")
        }
    }

    /// Gives the socket its name, and lets only owner and group connect. Must be called when the socket is bound.
    func wasBound() {
        // The mode is not changed through a link that somebody put there since.
        fchmodat(AT_FDCWD, bindingPath, 0o660, AT_SYMLINK_NOFOLLOW)
        let identity = Self.identity(of: bindingPath)
        let isNamed = rename(bindingPath, path) == 0
        Self.binding.withLock { _ = $0.remove(bindingPath) }
        state.withLock { $0 = .bound(isNamed ? identity : nil) }
    }

    /// Gives the file up, so that nothing is removed from then on. Must be called when the socket cannot be bound, or
    /// is lost. Once the socket is closed, the next socket may get the number of its file.
    func abandon() {
        state.withLock { $0 = .abandoned }
        Self.binding.withLock { _ = $0.remove(bindingPath) }
    }

    deinit {
        let isUnbound = state.withLock { if case .unbound = $0 { true } else { false } }
        if isUnbound { Self.binding.withLock { _ = $0.remove(bindingPath) } }
    }

    /// Waits until the path no longer names the socket that was bound. Returns false if the server stops before, or if
    /// no socket was bound.
    func isLost(lookingEvery interval: Duration) async -> Bool {
        while true {
            do {
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            } catch {
                return false
            }
            switch state.withLock({ $0 }) {
            case .unbound: break
            case .abandoned: return false
            case .bound(let identity): if identity == nil || Self.identity(of: path) != identity { return true }
            }
        }
    }

    /// Removes the file, unless the path names another file by now.
    func remove() {
        guard case .bound(let identity?) = state.withLock({ $0 }), Self.identity(of: path) == identity
        else { return }
        unlink(path)
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        return lstat(path, &status) == 0 ? Identity(device: status.st_dev, number: status.st_ino) : nil
    }

    private static func isAnswered(_ path: String) -> Bool {
        // A server whose queue is full also answers; the check does not wait for it.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 || errno == EAGAIN
            }
        }
    }
}
