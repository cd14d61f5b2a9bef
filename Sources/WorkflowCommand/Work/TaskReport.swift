import WorkflowAPI
import WorkflowJSON
import WorkflowPrograms

/// What the daemon is told of a program that has ended.
enum TaskReport: Equatable, Sendable {
    /// The exit code of a program for which trying again makes no sense; that of bad data in `sysexits.h`.
    static let hopeless: Int32 = 65

    /// The text of the result; nothing stands for null.
    case completed([UInt8])
    case failed(FailRequest)

    init(_ outcome: ProgramRun.Outcome) {
        if outcome.isTooLong {
            self = .failed(outcome.failure("too-large", "it printed more than \(APILimits.bodyBytes) bytes"))
            return
        }
        switch outcome.end {
        case .exited(0): self = Self.result(of: outcome)
        case .exited(let code):
            var failure = outcome.failure("exit", "exit code \(code)", ["code": .int(Int64(code))])
            if code == Self.hopeless { failure.retry = false }
            self = .failed(failure)
        case .killed(let signal):
            self = .failed(outcome.failure("exit", "killed by signal \(signal)", ["signal": .int(Int64(signal))]))
        }
    }

    private static func result(of outcome: ProgramRun.Outcome) -> TaskReport {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = outcome.output.firstIndex(where: { !isSpace($0) }),
            let last = outcome.output.lastIndex(where: { !isSpace($0) })
        else { return .completed([]) }
        do throws(JSONError) {
            _ = try JSONReader.value(from: outcome.output)
            return .completed(Array(outcome.output[first...last]))
        } catch {
            return .failed(outcome.failure("invalid-output", "its output is not JSON: \(error.description)"))
        }
    }

    /// A few words for a person.
    var summary: String {
        switch self {
        case .completed: "done"
        case .failed(let failure):
            failure.retry == false ? "failed for good (\(failure.message))" : "failed (\(failure.message))"
        }
    }
}

extension ProgramRun.Outcome {
    /// A failure with what the program said last.
    fileprivate func failure(_ type: String, _ message: String, _ facts: JSONObject = JSONObject()) -> FailRequest {
        var rest = errors[...]
        var details = facts
        repeat {
            if !rest.isEmpty { details["stderr"] = .string(String(decoding: rest, as: UTF8.self)) }
            // What must be escaped takes up to six times its bytes.
            rest = rest.dropFirst(max(1, rest.count / 2))
        } while JSONWriter.bytes(JSONValue.object(details)).count > APILimits.taskNoteBytes
        let cut = String(decoding: message.utf8.prefix(APILimits.errorMessageBytes), as: UTF8.self)
        return FailRequest(type: type, message: cut, details: details.members.isEmpty ? nil : .object(details))
    }
}
