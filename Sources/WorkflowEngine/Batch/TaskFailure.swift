import Statechart
package import WorkflowJSON
import WorkflowStore

/// The reason why an attempt failed.
package struct TaskFailure: Sendable, Equatable {
    /// The type of the failure, named by the worker or by wfd.
    package var type: String
    package var message: String
    package var details: JSONValue?
    /// Further facts for the machine, such as the `status` of an answer over HTTP.
    package var facts: JSONObject
    /// True if another attempt makes sense.
    package var canRetry: Bool
    /// The milliseconds to wait before the next attempt; `nil` for the definition's value.
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

    /// The approximate number of bytes of the failure.
    var size: Int {
        type.utf8.count + message.utf8.count + (details?.size ?? 0) + JSONValue.object(facts).size
    }

    /// The error that the machine receives, without the number of attempts.
    var error: JSONObject {
        var error = facts
        error["type"] = .string(type)
        error["message"] = .string(message)
        error["details"] = details
        return error
    }

    /// The text that is kept of an attempt, without long facts.
    var note: String {
        var error: JSONObject = ["type": .string(type), "message": .string(message)]
        error["details"] = details
        for fact in facts.members where fact.value.size <= Self.notedBytes { error[fact.key] = fact.value }
        return JSONWriter.string(JSONValue.object(error))
    }

    /// The failure in the form that retry rules match.
    var forRules: RetryFailure { RetryFailure(type: type, facts) }

    /// The greatest number of bytes of a fact that is kept of each attempt.
    private static let notedBytes = 8 << 10

    /// The failure of a task whose worker gave no sign of life within its lease.
    static let leaseExpired = TaskFailure(type: "lease-expired", message: "the worker gave no sign of life in time")
}

extension AttemptRecord {
    /// The failure in the form that retry rules match. A late report counts as an expired lease.
    var forRules: RetryFailure {
        let type = outcome == BatchBuilder.late ? TaskFailure.leaseExpired.type : outcome
        return RetryFailure(type: type, error.flatMap(RecordedFailure.object) ?? JSONObject())
    }
}

extension RetryFailure {
    /// - Parameter facts: The facts of the failure, possibly with the `status` of an answer over HTTP.
    fileprivate init(type: String, _ facts: JSONObject) {
        if case .int(let status)? = facts["status"] {
            self.init(type: type, status: status)
        } else {
            self.init(type: type)
        }
    }
}
