import EngineFloor
import Foundation
import LinuxEvents

/// A non-blocking connection that reads a stream of rows, as cheaply as possible.
final class StreamConnection {
    let descriptor: Int32
    /// The number of received rows.
    private(set) var rows = 0
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    /// The number of bytes that were read and not handled yet: the beginning of a row.
    private var filled = 0

    /// Requests a stream, which begins when its first comment is read.
    init(socket path: String, _ target: String) throws {
        descriptor = try UnixSocket.connect(to: path)
        try HTTPRequestText.get(target).withUnsafeBytes { try UnixSocket.send($0, to: descriptor) }
        while !String(decoding: buffer[..<filled], as: UTF8.self).contains("\n\n") { try read() }
        filled = 0
        guard String(decoding: buffer.prefix(15), as: UTF8.self) == "HTTP/1.1 200 OK" else {
            throw BenchmarkError("no stream: " + String(decoding: buffer.prefix(200), as: UTF8.self))
        }
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
        if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, 0)
        }
        if count < 0, errno == EAGAIN { return }
        guard count > 0 else { throw BenchmarkError("the server closed a stream") }
        filled += count
    }
}
