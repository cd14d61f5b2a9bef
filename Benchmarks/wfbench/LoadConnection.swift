import Dispatch
import EngineFloor
import Foundation
import LinuxEvents

/// A non-blocking HTTP/1.1 connection with at most one request under way. It is as cheap as
/// possible, because client and server share the cores.
final class LoadConnection {
    let descriptor: Int32
    /// The time when the present request left, or should have left, in nanoseconds of `nanoseconds()`.
    var since: UInt64 = 0
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var filled = 0
    /// The number of bytes of the present answer, head and body; 0 while its head is incomplete.
    private var expected = 0

    convenience init(socket path: String) throws { try self.init(UnixSocket.connect(to: path)) }

    /// Takes a new, blocking socket.
    init(_ socket: Int32) throws {
        descriptor = socket
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw BenchmarkError("cannot set up a connection") }
    }

    /// Closes the connection.
    func close() {
        Foundation.close(descriptor)
    }

    /// Sends a complete request. The answer to the previous one must have been read.
    func send(_ request: UnsafeRawBufferPointer) throws {
        filled = 0
        expected = 0
        try UnixSocket.send(request, to: descriptor)
    }

    /// Reads the available bytes. Returns true if the answer is complete and as expected.
    func receive(status: Int = 200) throws -> Bool {
        if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, 0)
        }
        if count < 0, errno == EAGAIN { return false }
        guard count > 0 else { throw BenchmarkError("the server closed a connection") }
        filled += count
        return try buffer.withUnsafeBytes { bytes in
            if expected == 0 {
                let answer = UnsafeRawBufferPointer(rebasing: bytes[..<filled])
                guard let head = AnswerHead(answer) else { return false }
                expected = head.length + head.contentLength
                guard head.status == status else {
                    throw BenchmarkError("unexpected answer: " + String(decoding: answer, as: UTF8.self))
                }
            }
            return filled >= expected
        }
    }

    /// The body of the complete answer.
    var body: String {
        let text = String(decoding: buffer[..<filled], as: UTF8.self)
        return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }

    /// Calls a function with the complete answer, head and body.
    func withAnswer<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }
    }

    /// Sends a request and waits for its answer.
    func exchange(_ request: [UInt8], status: Int = 200) throws {
        try request.withUnsafeBytes { try send($0) }
        try waitForAnswer(status: status)
    }

    /// Waits for the answer to the last request.
    func waitForAnswer(status: Int) throws {
        repeat { UnixSocket.wait(for: POLLIN, on: descriptor) } while try !receive(status: status)
    }
}

/// The relevant parts of an answer's head.
struct AnswerHead {
    let status: Int
    /// The length of the head with the empty line at its end.
    let length: Int
    /// The length of the body; 0 if the head does not have it.
    let contentLength: Int
    let isInChunks: Bool

    /// Reads a head; `nil` while it is incomplete.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 16, let end = bytes.place(of: "\r\n\r\n") else { return nil }
        length = end + 4
        status = Self.number(bytes[9...])
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        // Either case of the first letters: servers write both.
        let field = head.place(of: "ontent-Length: ") ?? head.place(of: "ontent-length: ")
        contentLength = field.map { Self.number(bytes[($0 + 15)...]) } ?? 0
        isInChunks = field == nil && head.place(of: "chunked\r\n") != nil
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var value = 0
        for byte in bytes {
            guard byte >= 48, byte <= 57 else { break }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the offset of a text in the bytes; `nil` if they do not have it.
    func place(of text: StaticString) -> Int? {
        let place = text.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) { linux_events_find(baseAddress, count, $0.baseAddress, $0.count) }
        }
        return place < 0 ? nil : place
    }
}

/// The system calls that connections need.
enum UnixSocket {
    /// Returns a connected, blocking stream socket.
    static func connect(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            throw BenchmarkError("cannot connect to '\(path)'")
        }
        return descriptor
    }

    /// Returns a blocking stream socket that is connected to a port of this machine.
    static func connect(toPort port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            throw BenchmarkError("cannot connect to port \(port)")
        }
        return descriptor
    }

    /// Returns a port of this machine that nobody has at the moment.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard code == 0 else { throw BenchmarkError("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Sends all bytes, and waits if the socket takes no more.
    static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else {
                guard errno == EAGAIN else { throw BenchmarkError("a request was not sent") }
                wait(for: POLLOUT, on: descriptor)
            }
        }
    }

    /// Waits until something can be done with a socket. Returns the possible operations.
    @discardableResult
    static func wait(for events: Int32, on descriptor: Int32) -> Int32 {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        poll(&entry, 1, -1)
        return Int32(entry.revents)
    }
}

/// Returns the time of a steady clock.
func nanoseconds() -> UInt64 {
    DispatchTime.now().uptimeNanoseconds
}
