import Hummingbird
import NIOCore
import WorkflowAPI

/// The lines of a body, read as they come.
struct BodyLines {
    private var parts: RequestBody.AsyncIterator
    private var unread = ByteBuffer()
    private var number: Int64 = 0
    private var isAtEnd = false

    init(_ body: RequestBody) {
        parts = body.makeAsyncIterator()
    }

    /// The next line, without its end; the last one may lack it. A line that is longer than a body may be is refused.
    mutating func next() async throws -> (bytes: [UInt8], number: Int64)? {
        var searched = 0
        while true {
            let view = unread.readableBytesView
            if let end = view[(view.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
                return line(length: end - view.startIndex, skipping: 1)
            }
            searched = view.count
            guard searched <= APILimits.bodyBytes else {
                throw Problem(
                    .payloadTooLarge, detail: "Line \(number + 1) is longer than \(APILimits.bodyBytes) bytes")
            }
            guard !isAtEnd else { return searched == 0 ? nil : line(length: searched, skipping: 0) }
            if var part = try await parts.next(isolation: #isolation) {
                unread.discardReadBytes()
                unread.writeBuffer(&part)
            } else {
                isAtEnd = true
            }
        }
    }

    private mutating func line(length: Int, skipping end: Int) -> (bytes: [UInt8], number: Int64) {
        number += 1
        var bytes = unread.readBytes(length: length) ?? []
        unread.moveReaderIndex(forwardBy: end)
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return (bytes, number)
    }
}
