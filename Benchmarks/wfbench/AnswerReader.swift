import EngineFloor
import Foundation

/// Parses the bytes of an answer as they come: its head, its chunks (RFC 9112, section 7.1) and their lines.
final class AnswerReader {
    private enum Place {
        case head
        /// The bytes of a body with a known length.
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case end
    }

    private var place = Place.end
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    /// The number of bytes at the front of `input` that could not be parsed yet: never more than a head.
    private var held = 0
    /// The bytes after the last complete line: the whole body if it has no lines.
    private(set) var begun: [UInt8] = []

    /// The number of bytes of the body so far.
    private(set) var bodyBytes = 0

    deinit {
        input.deallocate()
    }

    var isAtEnd: Bool {
        if case .end = place { return true }
        return false
    }

    /// Begins with the next answer.
    func begin() {
        place = .head
        held = 0
        bodyBytes = 0
        begun.removeAll(keepingCapacity: true)
    }

    /// Reads the available bytes of a socket, and passes on each complete line without its end.
    func receive(from descriptor: Int32, _ line: (UnsafeRawBufferPointer) throws -> Void) throws {
        let count = recv(descriptor, input.baseAddress.map { $0 + held }, input.count - held, 0)
        if count < 0, errno == EAGAIN { return }
        guard count > 0 else { throw BenchmarkError("the server closed a connection") }
        var rest = UnsafeRawBufferPointer(rebasing: input[..<(held + count)])
        while let taken = try step(rest, line) { rest = UnsafeRawBufferPointer(rebasing: rest[taken...]) }
        held = rest.count
        if let from = rest.baseAddress, let to = input.baseAddress { memmove(to, from, held) }
        guard held < input.count else { throw BenchmarkError("an answer has a head without end") }
    }

    /// Parses the next part; `nil` if more bytes have to come.
    private func step(_ rest: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) throws -> Void) throws -> Int? {
        switch place {
        case .head:
            guard let head = AnswerHead(rest) else { return nil }
            guard head.status < 300 else {
                throw BenchmarkError("unexpected answer: " + String(decoding: rest, as: UTF8.self))
            }
            place = head.isInChunks ? .chunkSize : .body(left: head.contentLength)
            return head.length
        case .body(let left): return try payload(rest, left, line) { $0 == 0 ? .end : .body(left: $0) }
        case .chunk(let left): return try payload(rest, left, line) { $0 == 0 ? .chunkEnd : .chunk(left: $0) }
        case .chunkSize:
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let text = String(decoding: rest[..<max(end - 1, 0)], as: UTF8.self)
            guard let size = Int(text, radix: 16) else { throw BenchmarkError("a chunk has the size '\(text)'") }
            place = size == 0 ? .trailer : .chunk(left: size)
            return end + 1
        case .chunkEnd, .trailer:
            guard rest.count >= 2 else { return nil }
            if case .trailer = place { place = .end } else { place = .chunkSize }
            return 2
        case .end: return nil
        }
    }

    private func payload(
        _ rest: UnsafeRawBufferPointer, _ left: Int, _ line: (UnsafeRawBufferPointer) throws -> Void,
        after: (Int) -> Place
    ) throws -> Int? {
        let count = min(left, rest.count)
        guard count > 0 || left == 0 else { return nil }
        try split(UnsafeRawBufferPointer(rebasing: rest[..<count]), line)
        bodyBytes += count
        place = after(left - count)
        return count
    }

    private func split(_ bytes: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = bytes
        while let base = rest.baseAddress, let end = memchr(base, 10, rest.count) {
            let length = UnsafeRawPointer(end) - base
            let part = UnsafeRawBufferPointer(rebasing: rest[..<length])
            if begun.isEmpty {
                try line(part)
            } else {
                begun += part
                try begun.withUnsafeBytes { try line($0) }
                begun.removeAll(keepingCapacity: true)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        begun += rest
    }
}
