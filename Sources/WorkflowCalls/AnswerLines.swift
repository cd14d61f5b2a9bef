public import WorkflowAPI
import WorkflowJSON

/// The values of an answer in lines (`LineStream.mediaType`), each as soon as its line arrives.
///
/// A line with a problem ends the sequence: the iterator throws `ClientError.problem`. If the answer breaks off, the
/// iterator throws `ClientError.answerLost`. So a reader that sees the end has seen all lines. The sequence can be
/// iterated once.
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
        Iterator(lines: ByteLines(bytes, of: address, longest: longest), address: address)
    }

    /// Reads the lines one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lines: ByteLines
        fileprivate let address: Address

        /// Returns the value of the next line, or `nil` at the end; waits for the line.
        public mutating func next() async throws -> Element? {
            while let line = try await lines.next() {
                if !line.bytes.isEmpty { return try value(of: line.bytes) }
            }
            return nil
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
