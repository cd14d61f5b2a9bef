import EngineFloor
import Foundation
import LinuxEvents

/// A non-blocking connection that reads a stream of rows, as cheaply as possible.
final class StreamConnection {
    let descriptor: Int32
    /// The number of received rows.
    private(set) var rows = 0
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    /// The number of bytes in `buffer` that were read and not handled yet: the beginning of a row.
    private var filled = 0
    private var received = [UInt8](repeating: 0, count: 256 << 10)
    /// The bytes of the present chunk (RFC 9112, 7.1) that are still to come; 0 before a chunk's size.
    private var left = 0
    /// The line of a chunk's size, as far as it was read.
    private var size: [UInt8] = []

    /// Requests a stream, which begins when its first comment is read.
    convenience init(socket path: String, _ target: String) throws {
        try self.init(UnixSocket.connect(to: path), HTTPRequestText.get(target))
    }

    /// Requests a stream on a new, blocking socket.
    init(_ socket: Int32, _ request: [UInt8]) throws {
        descriptor = socket
        try request.withUnsafeBytes { try UnixSocket.send($0, to: descriptor) }
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            var byte: UInt8 = 0
            guard recv(descriptor, &byte, 1, 0) == 1 else { throw BenchmarkError("no stream: \(head)") }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        guard head.hasPrefix("HTTP/1.1 200 OK") else { throw BenchmarkError("no stream: \(head.prefix(200))") }
        let end = Array("\n\n".utf8)
        while buffer[..<filled].firstRange(of: end) == nil { try read() }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw BenchmarkError("cannot set up a stream") }
    }

    /// Closes the connection.
    func close() { Foundation.close(descriptor) }

    /// Reads the available bytes. Calls a function with the text of each complete row.
    func receive(_ row: (UnsafeRawBufferPointer) -> Void) throws {
        try read()
        let end = buffer.withUnsafeBytes { bytes in
            var start = 0
            while let length = UnsafeRawBufferPointer(rebasing: bytes[start..<filled]).place(of: "\n\n") {
                let text = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
                if text.place(of: "\ndata: ") != nil {
                    rows += 1
                    row(text)
                }
                start += length + 2
            }
            return start
        }
        buffer.withUnsafeMutableBytes { bytes in
            guard end > 0, let base = bytes.baseAddress else { return }
            memmove(base, base + end, filled - end)
        }
        filled -= end
    }

    private func read() throws {
        let count = received.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN { return }
        guard count > 0 else { throw BenchmarkError("the server closed a stream") }
        var place = 0
        while place < count {
            if left > 0 {
                let part = min(left, count - place)
                while filled + part > buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
                buffer.replaceSubrange(filled..<filled + part, with: received[place..<place + part])
                filled += part
                left -= part
                place += part
            } else {
                if received[place] == UInt8(ascii: "\n") {
                    // The line after a chunk is empty.
                    left = Int(String(decoding: size, as: UTF8.self), radix: 16) ?? 0
                    size.removeAll(keepingCapacity: true)
                } else if received[place] != UInt8(ascii: "\r") {
                    size.append(received[place])
                }
                place += 1
            }
        }
    }
}
