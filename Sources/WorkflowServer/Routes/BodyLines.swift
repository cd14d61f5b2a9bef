import Foundation
import Hummingbird
import NIOCore
import WorkflowAPI

/// The lines of a body, read as they arrive.
struct BodyLines {
    private var parts: RequestBody.AsyncIterator
    private let connection: CallerConnection
    private var unread = ByteBuffer()
    /// The bytes of `unread` that are known to contain no end of a line.
    private var searched = 0
    private var number: Int64 = 0
    private var isAtEnd = false

    /// - Parameter connection: The connection of the body; it is told which line is awaited.
    init(_ body: RequestBody, on connection: CallerConnection) {
        parts = body.makeAsyncIterator()
        self.connection = connection
        connection.waits(forLine: 0)
    }

    /// Waits for more of the body; returns false at the body's end. Call `forEach` after each call, until it has no
    /// more lines.
    mutating func more() async throws -> Bool {
        if isAtEnd { return false }
        if unread.readableBytes > 0 { connection.waits(forLine: Int(number) + 1, after: unread.readableBytes) }
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

    /// Returns the next part of the body. A body that ends too early is the caller's mistake.
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

    /// Passes complete lines, without their ends, to the closure until the closure wants no more. The last line of a
    /// body may lack its end. A line that is longer than a body may be is refused.
    ///
    /// - Parameter body: Returns true if it wants the next line. Its first argument is valid during the call only.
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

    /// Refuses the next line if it is too long.
    private func refuse(_ length: Int) throws {
        guard length <= APILimits.bodyBytes else {
            throw Problem(.payloadTooLarge, detail: "Line \(number + 1) is longer than \(APILimits.bodyBytes) bytes")
        }
    }

    /// Returns the length of the line that begins at `start`; `nil` if the line's end has not arrived.
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
