package import WorkflowJSON

/// The meaning of a program's end for the caller that awaits its result.
package enum ProgramReport: Equatable, Sendable {
    /// The reason why there is no result.
    package struct Failure: Equatable, Sendable {
        package let type: String
        package let message: String
        /// The facts beside the message: `code`, `signal`, `stderr`.
        package let facts: JSONObject
        /// True if another run of the same program may have a result.
        package let canRetry: Bool
    }

    /// The exit code after which a retry makes no sense; the code for bad data in `sysexits.h`.
    private static let hopeless: Int32 = 65

    /// The program's output; null if it printed nothing.
    case completed(JSONValue)
    case failed(Failure)

    /// - Parameter limit: The number of output bytes that were kept.
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
