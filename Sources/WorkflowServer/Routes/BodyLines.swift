import Foundation
import Hummingbird
import NIOCore
import WorkflowAPI

/// The lines of a body, read as they come.
struct BodyLines {
    private var parts: RequestBody.AsyncIterator
    private let connection: CallerConnection
    private var unread = ByteBuffer()
    /// How much of `unread` is known to have no end of a line.
    private var searched = 0
    private var number: Int64 = 0
    private var isAtEnd = false

    /// - Parameter connection: On which the body comes; it is told which line is waited for.
    init(_ body: RequestBody, on connection: CallerConnection) {
        parts = body.makeAsyncIterator()
        self.connection = connection
        connection.waits(forLine: 0)
    }

    /// Waits for more of the body; false at its end. Call `forEach` in between, until it has no more lines.
    mutating func more() async throws -> Bool {
        if isAtEnd { return false }
        if unread.readableBytes > 0 { connection.waits(forLine: Int(number) + 1) }
        guard var part = try await next() else {
            connection.waits(forLine: 0)
            isAtEnd = true
            return true
        }
        if unread.readableBytes == 0 {
            unread = part
        } else {
            unread.discardReadBytes()
            unread.writeBuffer(&part)
        }
        return true
    }

    /// The next part of the body. One that ends too early is the caller's doing.
    private mutating func next() async throws -> ByteBuffer? {
        do {
            return try await parts.next(isolation: #isolation)
        } catch is CancellationError {
            throw CancellationError()
        } catch let refusal as BodyRefusal {
            throw refusal.problem
        } catch {
            throw Problem(.invalidRequest, detail: "The body was cut off after line \(number)")
        }
    }

    /// Gives the lines that are there whole, without their ends, until the closure wants no more. The last one may lack
    /// its end; one that is longer than a body may be is refused.
    ///
    /// - Parameter body: Its first argument is valid during the call only. Returns whether it wants the next one.
    mutating func forEach(
        _ body: (_ line: UnsafeBufferPointer<UInt8>, _ number: Int64) throws -> Bool
    ) throws {
        var used = 0
        defer { unread.moveReaderIndex(forwardBy: used) }
        try unread.withUnsafeReadableBytes { raw in
            let bytes = raw.assumingMemoryBound(to: UInt8.self)
            while let length = Self.length(of: bytes, from: used, searched: searched) {
                try refuse(length)
                if used == 0 { connection.waits(forLine: 0) }
                searched = 0
                let line = bytes[used..<used + length]
                used += length + 1
                number += 1
                guard try body(Self.withoutReturn(line), number) else { return }
            }
            searched = bytes.count - used
            try refuse(searched)
            guard isAtEnd, searched > 0 else { return }
            let line = bytes[used...]
            used = bytes.count
            searched = 0
            number += 1
            _ = try body(Self.withoutReturn(line), number)
        }
    }

    /// Refuses the next line when it is too long.
    private func refuse(_ length: Int) throws {
        guard length <= APILimits.bodyBytes else {
            throw Problem(.payloadTooLarge, detail: "Line \(number + 1) is longer than \(APILimits.bodyBytes) bytes")
        }
    }

    /// The length of the line that begins at `start`; nil when its end is not there yet.
    private static func length(
        of bytes: UnsafeBufferPointer<UInt8>, from start: Int, searched: Int
    ) -> Int? {
        let begin = start + searched
        guard begin < bytes.count, let base = bytes.baseAddress,
            let end = memchr(base + begin, CInt(UInt8(ascii: "\n")), bytes.count - begin)
        else { return nil }
        return UnsafeRawPointer(end) - UnsafeRawPointer(base + start)
    }

    private static func withoutReturn(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}
