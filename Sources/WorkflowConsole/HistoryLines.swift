package import WorkflowAPI
package import WorkflowCalls
import WorkflowJSON

/// The history of an instance as JSON lines, read from the API part by part.
package struct HistoryLines: Sendable {
    /// The name for a file with the lines, which has no character with a meaning to a shell, a header or a file system.
    package let fileName: String
    private let name: String
    private let client: WorkflowClient
    /// The seq of the last row. Rows that are written later are left out, so that there is an end.
    private let last: Int64
    private var next: Int64 = 1

    /// Returns the instance whose history a request asks for; `nil` for another request.
    package static func instance(in request: PageRequest) -> String? {
        let words = request.words
        return words.count == 3 && words.first == "instances" && words.last == "history.jsonl" ? words[1] : nil
    }

    /// Reads where the history ends.
    ///
    /// - Throws: The API's problem, such as `instanceNotFound`.
    package init(of name: String, for visitor: Visitor) async throws(Problem) {
        (self.name, client) = (name, visitor.client)
        do throws(ClientError) {
            last = try await client.instance(name).seq
        } catch {
            throw error.asProblem
        }
        let safe = name.unicodeScalars.map { Self.isPlain($0) ? String($0) : "_" }.joined()
        fileName = "history-\(safe).jsonl"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
        default: false
        }
    }

    /// Returns the next lines; `nil` at the end.
    package mutating func lines() async throws(ClientError) -> [UInt8]? {
        guard next <= last else { return nil }
        let limit = Int(min(Int64(APILimits.largestPageItems), last - next + 1))
        let page = try await client.history(ofInstance: name, HistoryParameters(limit: limit, after: next - 1))
        guard let row = page.items.last else { return nil }
        next = row.seq + 1
        var text = JSONWriter(capacity: 64 << 10)
        for item in page.items {
            item.write(to: &text)
            text.endLine()
        }
        return text.bytes
    }
}
