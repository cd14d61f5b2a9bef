import Foundation

/// The file of a unix socket: checked before it is bound, removed when its server has stopped.
final class UnixSocketFile: Sendable {
    private let path: String

    /// Makes way for a socket: a file that another server answers on, or that is no socket, is left alone and refused;
    /// one that a killed server left behind is removed when it is bound.
    init(path: String) throws(ListenAddressError) {
        self.path = path
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenAddressError("unix:\(path)", "a file that is no socket is there already")
        }
        let user = geteuid()
        guard user == 0 || status.st_uid == 0 || status.st_uid == user else {
            throw ListenAddressError("unix:\(path)", "a socket of another user (uid \(status.st_uid)) is there already")
        }
        if Self.isAnswered(path) {
            throw ListenAddressError("unix:\(path)", "another process is listening there")
        }
    }

    /// Lets owner and group connect, nobody else.
    func restrictAccess() {
        // Not through a link that somebody put there since it was bound.
        fchmodat(AT_FDCWD, path, 0o660, AT_SYMLINK_NOFOLLOW)
    }

    /// Removes the file.
    func remove() {
        unlink(path)
    }

    private static func isAnswered(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
