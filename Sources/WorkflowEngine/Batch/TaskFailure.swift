import Statechart
package import WorkflowJSON
import WorkflowStore

/// Why an attempt failed.
package struct TaskFailure: Sendable, Equatable {
    /// The worker's own word, or one of ours.
    package var type: String
    package var message: String
    package var details: JSONValue?
    /// What the machine is told beside these, as `status` of an answer over HTTP.
    package var facts: JSONObject
    /// Whether trying again makes sense.
    package var canRetry: Bool
    /// Milliseconds to wait before the next attempt; nil for what the definition says.
    package var retryAfter: Int64?

    package init(
        type: String, message: String, details: JSONValue? = nil, facts: JSONObject = JSONObject(),
        canRetry: Bool = true, retryAfter: Int64? = nil
    ) {
        self.type = type
        self.message = message
        self.details = details
        self.facts = facts
        self.canRetry = canRetry
        self.retryAfter = retryAfter
    }

    /// Roughly its bytes.
    var size: Int {
        type.utf8.count + message.utf8.count + (details?.size ?? 0) + JSONValue.object(facts).size
    }

    /// As a machine is told, but for the number of attempts.
    var error: JSONObject {
        var error = facts
        error["type"] = .string(type)
        error["message"] = .string(message)
        error["details"] = details
        return error
    }

    /// As it is kept of an attempt: without what is long.
    var note: String {
        var error: JSONObject = ["type": .string(type), "message": .string(message)]
        error["details"] = details
        for fact in facts.members where fact.value.size <= Self.notedBytes { error[fact.key] = fact.value }
        return JSONWriter.string(JSONValue.object(error))
    }

    /// The failure in the words of retry rules.
    var forRules: RetryFailure { RetryFailure(type: type, facts) }

    /// Bytes of a fact that is kept of each attempt.
    private static let notedBytes = 8 << 10

    /// Nobody spoke of the task within its lease.
    static let leaseExpired = TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time")
}

extension AttemptRecord {
    /// The failure in the words of retry rules. A late report counts as an expired lease.
    var forRules: RetryFailure {
        let type = outcome == BatchBuilder.late ? TaskFailure.leaseExpired.type : outcome
        return RetryFailure(type: type, error.flatMap(RecordedFailure.object) ?? JSONObject())
    }
}

extension RetryFailure {
    /// - Parameter facts: `status` of an answer over HTTP among them.
    fileprivate init(type: String, _ facts: JSONObject) {
        if case .int(let status)? = facts["status"] {
            self.init(type: type, status: status)
        } else {
            self.init(type: type)
        }
    }
}
