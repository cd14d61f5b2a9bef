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
        Iterator(lines: ByteLines(bytes, of: address, longest: longest), address: address)
    }

    /// Reads the lines one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lines: ByteLines
        fileprivate let address: Address

        /// The value of the next line; waits until there is one.
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
