/// An answer of which only the head has been read.
package struct StreamedAnswer: Sendable {
    package var status: Int
    /// Without parameters, lower case; nil when the answer has none.
    package var mediaType: String?
    package var body: AnswerBytes

    package init(status: Int, mediaType: String?, body: AnswerBytes) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }
}

/// The bytes of an answer, part by part, as they come.
///
/// Nothing is read from the daemon before somebody asks for it, so a slow reader slows the daemon down and needs no
/// memory. It can be gone through once; what goes wrong on the way is thrown as `ClientError`. Who stops before the end
/// gives the connection up.
public struct AnswerBytes: AsyncSequence, Sendable {
    /// A part, never empty.
    public typealias Element = [UInt8]
    /// Gives the next part; nil at the end.
    package typealias Next = () async throws -> [UInt8]?

    /// How many bytes there will be in sum, where the daemon said so before.
    public let length: Int64?
    private let begin: @Sendable () -> Next

    /// - Parameter begin: Gives what reads the parts; called once.
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

        /// The next part; waits until there is one.
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
    /// What was read and not given yet.
    private var unread: [UInt8] = []
    /// Where the next line begins in it.
    private var start = 0
    /// Where to look for its end: before it there is none.
    private var looked = 0

    /// - Parameter longest: Bytes of a line.
    init(_ bytes: AnswerBytes, of address: Address, longest: Int) {
        parts = bytes.makeAsyncIterator()
        self.address = address
        self.longest = longest
    }

    /// The next line without its newline, which the last one may lack; waits until there is one.
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
