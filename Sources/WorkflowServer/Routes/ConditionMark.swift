import Statechart
import WorkflowJSON
import WorkflowStore

/// The condition of a list and the time of its first page, as a page token has them.
struct ConditionMark: Equatable {
    /// The beginning of the digest of the expression.
    let digest: String
    /// The time of the request for the first page.
    let now: Timestamp

    /// The mark as a page token has it.
    var json: JSONValue { .array([.int(now.rawValue), .string(digest)]) }

    /// The mark of a list that begins at a time.
    init(_ condition: InstanceCondition, at now: Timestamp) {
        digest = String(Digest(of: condition.source.utf8).text.prefix(32))
        self.now = now
    }

    /// Reads the mark of a page token; `nil` for anything else.
    init?(_ json: JSONValue) {
        guard case .array(let fields) = json, fields.count == 2, case .int(let time)? = fields.first,
            Timestamp.range.contains(time), let digest = fields.last?.string
        else { return nil }
        now = Timestamp(rawValue: time)
        self.digest = digest
    }
}
