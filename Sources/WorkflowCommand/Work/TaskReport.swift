import WorkflowAPI
import WorkflowJSON
import WorkflowPrograms

/// The report to the daemon about a program that has ended.
enum TaskReport: Equatable, Sendable {
    case completed(JSONValue)
    case failed(FailRequest)

    init(_ outcome: ProgramRun.Outcome) {
        switch ProgramReport(outcome, keeping: APILimits.bodyBytes) {
        case .completed(let result): self = .completed(result)
        case .failed(let failure): self = .failed(FailRequest(failure))
        }
    }

    /// A short description for a person.
    var summary: String {
        switch self {
        case .completed: "done"
        case .failed(let failure):
            failure.retry == false ? "failed for good (\(failure.message))" : "failed (\(failure.message))"
        }
    }
}

extension FailRequest {
    /// Creates the report of a failure, cut to the size of a request.
    fileprivate init(_ failure: ProgramReport.Failure) {
        var details = failure.facts
        var errors = Array((details["stderr"]?.string ?? "").utf8)[...]
        // An escaped character takes up to six times its bytes.
        while JSONWriter.bytes(JSONValue.object(details)).count > APILimits.taskNoteBytes {
            errors = errors.dropFirst(max(1, errors.count / 2))
            details["stderr"] = .string(String(decoding: errors, as: UTF8.self))
        }
        self.init(
            type: failure.type,
            message: String(decoding: failure.message.utf8.prefix(APILimits.errorMessageBytes), as: UTF8.self),
            details: details.members.isEmpty ? nil : .object(details), retry: failure.canRetry ? nil : false)
    }
}
