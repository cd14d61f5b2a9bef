/// An answer of which only the head has been read.
package struct StreamedAnswer: Sendable {
    package var status: Int
    /// The media type without parameters, in lower case; `nil` if the answer has none.
    package var mediaType: String?
    package var body: AnswerBytes

    package init(status: Int, mediaType: String?, body: AnswerBytes) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }
}

/// The bytes of an answer, part by part, as they arrive.
///
/// The client reads from the daemon on demand, so a slow reader slows the daemon down and needs no memory. The sequence
/// can be iterated once; errors are thrown as `ClientError`. A reader that stops before the end closes the connection.
public struct AnswerBytes: AsyncSequence, Sendable {
    /// A part, never empty.
    public typealias Element = [UInt8]
    /// Returns the next part, or `nil` at the end.
    package typealias Next = () async throws -> [UInt8]?

    /// The total number of bytes, if the daemon announced it.
    public let length: Int64?
    private let begin: @Sendable () -> Next

    /// - Parameter begin: Returns the function that reads the parts; called once.
    package init(length: Int64? = nil, _ begin: @escaping @Sendable () -> Next) {
        self.length = length
        self.begin = begin
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(readNext: begin())
    }

    /// Reads the parts one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let readNext: Next

        /// Returns the next part, or `nil` at the end; waits for the part.
        public mutating func next() async throws -> [UInt8]? {
            while let part = try await readNext() {
                if !part.isEmpty { return part }
            }
            return nil
        }
    }
}

/// The lines of an answer's bytes, one after another.
struct ByteLines {
    private var parts: AnswerBytes.Iterator
    private let address: Address
    private let longest: Int
    /// The bytes that were read and not yet returned.
    private var unread: [UInt8] = []
    /// The start of the next line in `unread`.
    private var start = 0
    /// The place from which to search for the line's end; no newline precedes it.
    private var looked = 0

    /// - Parameter longest: The largest number of bytes of a line.
    init(_ bytes: AnswerBytes, of address: Address, longest: Int) {
        parts = bytes.makeAsyncIterator()
        self.address = address
        self.longest = longest
    }

    /// Returns the next line without its newline, which the last line may lack; waits for the line.
    mutating func next() async throws -> (bytes: ArraySlice<UInt8>, isWhole: Bool)? {
        while true {
            if let end = unread[looked...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = unread[start..<end]
                start = end + 1
                looked = start
                return (line, true)
            }
            unread.removeFirst(start)
            start = 0
            looked = unread.count
            guard unread.count <= longest else {
                throw ClientError.protocolViolation(address, reason: "a line is longer than \(longest) bytes")
            }
            guard let part = try await parts.next() else { return last() }
            unread += part
        }
    }

    private mutating func last() -> (bytes: ArraySlice<UInt8>, isWhole: Bool)? {
        guard !unread.isEmpty else { return nil }
        defer {
            unread = []
            looked = 0
        }
        return (unread[...], false)
    }
}
