package import WorkflowJSON

/// What the end of a program means to whoever has asked for its result.
package enum ProgramReport: Equatable, Sendable {
    /// Why there is no result.
    package struct Failure: Equatable, Sendable {
        package let type: String
        package let message: String
        /// What is known beside the message: `code`, `signal`, `stderr`.
        package let facts: JSONObject
        /// Whether the same program may have a result when it runs again.
        package let canRetry: Bool
    }

    /// The exit code of a program for which trying again makes no sense; that of bad data in `sysexits.h`.
    private static let hopeless: Int32 = 65

    /// What it printed; null for nothing.
    case completed(JSONValue)
    case failed(Failure)

    /// - Parameter limit: Bytes of its output that were kept.
    package init(_ outcome: ProgramRun.Outcome, keeping limit: Int) {
        if outcome.isTooLong {
            self = .failed(outcome.failure("too-large", "it printed more than \(limit) bytes", canRetry: false))
            return
        }
        switch outcome.end {
        case .exited(0): self = Self.result(of: outcome)
        case .exited(let code):
            self = .failed(
                outcome.failure(
                    "exit", "exit code \(code)", ["code": .int(Int64(code))], canRetry: code != Self.hopeless))
        case .killed(let signal):
            self = .failed(outcome.failure("exit", "killed by signal \(signal)", ["signal": .int(Int64(signal))]))
        }
    }

    private static func result(of outcome: ProgramRun.Outcome) -> ProgramReport {
        guard outcome.output.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            return .completed(.null)
        }
        do throws(JSONError) {
            return .completed(try JSONReader.value(from: outcome.output))
        } catch {
            return .failed(
                outcome.failure("invalid-output", "its output is not JSON: \(error.description)", canRetry: false))
        }
    }
}

extension ProgramRun.Outcome {
    fileprivate func failure(
        _ type: String, _ message: String, _ facts: JSONObject = JSONObject(), canRetry: Bool = true
    ) -> ProgramReport.Failure {
        var facts = facts
        if !errors.isEmpty { facts["stderr"] = .string(String(decoding: errors, as: UTF8.self)) }
        return ProgramReport.Failure(type: type, message: message, facts: facts, canRetry: canRetry)
    }
}
