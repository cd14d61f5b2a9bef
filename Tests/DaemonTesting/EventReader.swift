import Foundation
package import WorkflowClient

/// Reads a stream of server-sent events on a separate connection. Blocks; for one thread at a time.
///
/// `@unchecked Sendable`: a test passes it from thread to thread, and awaits each thread before the next.
package final class EventReader: @unchecked Sendable {
    /// The text between two empty lines.
    package struct Message: Sendable, Equatable {
        package var id: String?
        package var event: String?
        package var data: String?
        package var comment: String?

        package var hasComment: Bool { comment != nil }
    }

    package let status: Int
    package let headers: [String: String]
    private let connection: RawConnection
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// Requests a stream and reads the head of the answer.
    package init(_ target: String, of address: Address, headers: [(name: String, value: String)] = []) throws {
        connection = try RawConnection(to: address)
        try connection.write(RawRequest("GET", target, headers: headers).bytes)
        (status, self.headers) = try connection.readHead()
    }

    /// Returns the next message; `nil` if the answer ended properly. Throws if it broke off.
    package func next() throws -> Message? {
        while true {
            if let end = unread.firstRange(of: Array("\n\n".utf8)) {
                let lines = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
                unread.removeFirst(end.upperBound)
                return Self.message(lines)
            }
            if hasEnded { return nil }
            let chunk = try connection.readChunk()
            hasEnded = chunk.isEmpty
            unread += chunk
        }
    }

    /// Returns the next message that has data; `nil` at the end.
    package func nextEvent() throws -> Message? {
        while let message = try next() {
            if message.data != nil { return message }
        }
        return nil
    }

    private static func message(_ lines: String) -> Message {
        var message = Message()
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(":") { message.comment = line.dropFirst().trimmingCharacters(in: .whitespaces) }
            if line.hasPrefix("id: ") { message.id = String(line.dropFirst(4)) }
            if line.hasPrefix("event: ") { message.event = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { message.data = String(line.dropFirst(6)) }
        }
        return message
    }
}
