import EngineFloor
import Foundation

/// An HTTP/1.1 connection over a unix socket for bodies in lines, which reads the answer while it still sends.
final class LineConnection {
    private let descriptor: Int32
    private let reader = AnswerReader()

    init(socket path: String) throws {
        descriptor = try UnixSocket.connect(to: path)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw BenchmarkError("cannot set up a connection to '\(path)'")
        }
    }

    /// Closes the connection.
    func close() {
        Foundation.close(descriptor)
    }

    /// Sends a request, and passes on the lines of its answer until the end.
    func exchange(_ request: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) throws -> Void) throws {
        reader.begin()
        var unsent = request
        while !reader.isAtEnd {
            let wanted = unsent.isEmpty ? POLLIN : POLLIN | POLLOUT
            let ready = UnixSocket.wait(for: Int32(wanted), on: descriptor)
            if ready & Int32(POLLOUT) != 0, !unsent.isEmpty {
                let count = send(descriptor, unsent.baseAddress, unsent.count, Int32(MSG_NOSIGNAL))
                guard count > 0 || errno == EAGAIN else { throw BenchmarkError("a request was not sent") }
                if count > 0 { unsent = UnsafeRawBufferPointer(rebasing: unsent[count...]) }
            }
            if ready & ~Int32(POLLOUT) != 0 { try reader.receive(from: descriptor, line) }
        }
    }

    /// Sends a request. Returns the body of its answer, which has no lines.
    func body(of request: UnsafeRawBufferPointer) throws -> [UInt8] {
        try exchange(request) { _ in }
        return reader.begun
    }

    /// Sends a request and reads its answer to the end. Returns its last line.
    func lastLine(of request: String) throws -> String {
        var last = ""
        try Array(request.utf8).withUnsafeBytes { bytes in
            try exchange(bytes) { last = String(decoding: $0, as: UTF8.self) }
        }
        return last
    }
}
