import Foundation
import Synchronization
import ThreadTesting

/// The socket of a service manager, and what it was told.
final class NotifyReader: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32
    private let received = Mutex<[String]>([])
    /// The number of messages up to the last one that was expected.
    private let seen = Mutex(0)

    /// Binds a path, or a name of the abstract namespace after `@`.
    init(name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        if name.hasPrefix("@") { path[0] = 0 } else { path.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + path.count)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard code == 0 else { throw TestingError("cannot bind '\(name)': \(String(cString: strerror(errno)))") }
        Thread { [weak self, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0, let self else { break }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                self.received.withLock { $0.append(text) }
            }
            close(descriptor)
        }.start()
    }

    deinit {
        // The thread ends, and closes the socket.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The messages up to the last one that was expected.
    var messages: [String] {
        let count = seen.withLock { $0 }
        return received.withLock { Array($0.prefix(count)) }
    }

    /// Returns the number of messages so far with a text.
    func count(of text: String) -> Int { received.withLock { $0.count { $0 == text } } }

    /// Waits for the next message with a text.
    func expect(_ text: String) async throws {
        try await expect("'\(text)'") { $0 == text }
    }

    /// Waits for the next message that begins with a text.
    func expect(prefix: String) async throws {
        try await expect("'\(prefix)…'") { $0.hasPrefix(prefix) }
    }

    private func expect(_ what: String, _ fits: @escaping (String) -> Bool) async throws {
        try await eventually("the service manager is told \(what)") {
            let first = seen.withLock { $0 }
            guard let place = received.withLock({ $0.dropFirst(first).firstIndex(where: fits) }) else { return false }
            seen.withLock { $0 = place + 1 }
            return true
        }
    }
}
