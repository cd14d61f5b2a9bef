public import WorkflowAPI
import WorkflowJSON

/// The values of an answer in lines (`LineStream.mediaType`), each as soon as its line is there.
///
/// A line that holds a problem ends it: that is thrown as `ClientError.problem`. An answer that breaks off is thrown as
/// `ClientError.answerLost`, so whoever sees the end has seen all lines. It can be gone through once.
public struct AnswerLines<Element: WireObject>: AsyncSequence, Sendable {
    private let bytes: AnswerBytes
    private let address: Address
    private let longest: Int

    init(bytes: AnswerBytes, address: Address, longest: Int) {
        self.bytes = bytes
        self.address = address
        self.longest = longest
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(parts: bytes.makeAsyncIterator(), address: address, longest: longest)
    }

    /// Reads the lines one after another.
    public struct Iterator: AsyncIteratorProtocol {
        private var parts: AnswerBytes.Iterator
        private let address: Address
        private let longest: Int
        /// What was read and not given yet.
        private var unread: [UInt8] = []
        /// Where the next line begins in it.
        private var start = 0
        /// Where to look for its end: before it there is none.
        private var looked = 0

        fileprivate init(parts: AnswerBytes.Iterator, address: Address, longest: Int) {
            self.parts = parts
            self.address = address
            self.longest = longest
        }

        /// The value of the next line; waits until there is one.
        public mutating func next() async throws -> Element? {
            while true {
                if let end = unread[looked...].firstIndex(of: UInt8(ascii: "\n")) {
                    let line = unread[start..<end]
                    start = end + 1
                    looked = start
                    if !line.isEmpty { return try value(of: line) }
                    continue
                }
                unread.removeFirst(start)
                start = 0
                looked = unread.count
                guard unread.count <= longest else {
                    throw ClientError.protocolViolation(address, reason: "a line is longer than \(longest) bytes")
                }
                guard let part = try await parts.next() else { return try last() }
                unread += part
            }
        }

        /// A last line may lack its newline.
        private mutating func last() throws -> Element? {
            guard !unread.isEmpty else { return nil }
            defer {
                unread = []
                looked = 0
            }
            return try value(of: unread[...])
        }

        private func value(of line: ArraySlice<UInt8>) throws(ClientError) -> Element {
            do {
                let json = try JSONReader.value(from: line)
                if let problem = json.object?[LineStream.problemField] {
                    throw ClientError.problem(try Problem(json: problem, unknownFields: .ignored))
                }
                return try Element(json: json, unknownFields: .ignored)
            } catch let error as ClientError {
                throw error
            } catch {
                throw .protocolViolation(address, reason: "a line of it: \(error)")
            }
        }
    }
}
