import Foundation
import Synchronization
import ThreadTesting

/// Passes connections of a port to a server of this machine, and cuts all of them after a number of bytes.
package final class CuttingProxy: Sendable {
    /// The direction whose bytes are counted.
    package enum Direction: Sendable {
        case toServer, toClient
    }

    private struct State {
        var cuts: [(bytes: Int, direction: Direction)] = []
        var passed: [Direction: Int] = [:]
        var open: Set<Int32> = []
    }

    /// The port on 127.0.0.1.
    package let port: Int
    private let listener: Int32
    private let connectToServer: @Sendable () -> Int32?
    private let state = Mutex(State())

    /// Begins to listen, until the run ends.
    ///
    /// - Parameter path: The path of the server's socket.
    package convenience init(to path: String) throws {
        try self.init { Self.connected(toSocket: path) }
    }

    /// Begins to listen, until the run ends.
    ///
    /// - Parameter port: The server's port on 127.0.0.1.
    package convenience init(toPort port: Int) throws {
        try self.init { Self.connected(toPort: port) }
    }

    private init(_ connectToServer: @escaping @Sendable () -> Int32?) throws {
        self.connectToServer = connectToServer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                bind(listener, address.baseAddress, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address.baseAddress, &length) == 0
            }
        }
        guard isBound else { throw TestingError("the proxy cannot listen: \(errno)") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in accept() }.start()
    }

    /// Cuts every open connection once, after so many further bytes in a direction; 0 cuts before the next one. The
    /// next cut then counts the bytes of later connections.
    package func cut(after cuts: (bytes: Int, direction: Direction)...) {
        state.withLock { $0.cuts = cuts }
    }

    /// Returns the bytes that have passed in a direction so far.
    package func passed(_ direction: Direction) -> Int { state.withLock { $0.passed[direction, default: 0] } }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            guard let server = connectToServer() else {
                close(client)
                continue
            }
            state.withLock { $0.open.formUnion([client, server]) }
            let ends = Mutex(0)
            let pump: @Sendable (Int32, Int32, Direction) -> Void = { [self] from, to, direction in
                pass(from, to, direction)
                for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
                // The last of the two closes, so that no other connection has the numbers meanwhile.
                let isLast = ends.withLock { ends in
                    ends += 1
                    return ends == 2
                }
                guard isLast else { return }
                state.withLock { $0.open.subtract([client, server]) }
                for end in [client, server] { close(end) }
            }
            Thread { pump(client, server, .toServer) }.start()
            Thread { pump(server, client, .toClient) }.start()
        }
    }

    private static func connected(toPort port: Int) -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(server, $0.baseAddress, size) == 0 }
        }
        if isConnected { return server }
        close(server)
        return nil
    }

    private static func connected(toSocket socketPath: String) -> Int32? {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { connect(server, $0.baseAddress, size) == 0 }
        }
        if isConnected { return server }
        close(server)
        return nil
    }

    private func pass(_ from: Int32, _ to: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0 else { return }
            let allowed = state.withLock { state in
                guard let cut = state.cuts.first, cut.direction == direction else {
                    state.passed[direction, default: 0] += count
                    return count
                }
                let allowed = min(cut.bytes, count)
                state.cuts[state.cuts.startIndex].bytes -= allowed
                if allowed < count { state.cuts.removeFirst() }
                state.passed[direction, default: 0] += allowed
                return allowed
            }
            var sent = 0
            while sent < allowed {
                let written = buffer[sent..<allowed].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
            if allowed < count {
                // A cut ends all connections.
                state.withLock { state in
                    for end in state.open { shutdown(end, Int32(SHUT_RDWR)) }
                }
                return
            }
        }
    }
}
