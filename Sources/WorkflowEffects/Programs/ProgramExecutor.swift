package import Statechart
package import WorkflowEngine
import WorkflowJSON
import WorkflowPrograms
package import WorkflowStore

/// Runs programs for instances, only those that the operator has named.
package final class ProgramExecutor: EffectExecutor {
    package let queues = "exec:"
    package let places: Int
    package var placesOfQueue: Int { places }
    package let log: (any AttemptLog)?

    private let programs: [String: String]
    private let search: String?
    private let grace: Duration

    /// - Parameters:
    ///   - programs: The files of programs, by the names that machines use.
    ///   - places: The number of programs that run at a time.
    ///   - search: The daemon's `PATH`, in which programs find others.
    ///   - log: Records the begins of attempts, because a program may kill the daemon.
    ///   - grace: The time that a program has to end after SIGTERM.
    package init(
        _ programs: [String: String], places: Int, search: String?, log: (any AttemptLog)? = nil,
        grace: Duration = .seconds(10)
    ) {
        self.log = log
        self.grace = grace
        self.programs = programs
        self.places = places
        self.search = search
    }

    /// The default timeout of an attempt in milliseconds.
    private static let timeout: Int64 = 300_000
    private static let maxBytes: Int64 = 256 << 10

    package func run(_ attempt: EffectAttempt) async -> AttemptOutcome {
        if let reason = attempt.request["invalid"]?.string { return .failed(.final("invalid-request", reason)) }
        let order = attempt.request["exec"]?.object ?? JSONObject()
        let limit = Int(order["maxBytes"]?.integer ?? Self.maxBytes)
        let timeout = Duration.milliseconds(order["attemptTimeout"]?.integer ?? Self.timeout)
        switch await ProgramStart.aside({ [self] in start(attempt, order) }) {
        case .runs(let program): return await outcome(of: program, limit: limit, timeout: timeout)
        case .ended(let outcome): return outcome
        }
    }

    /// The result of starting a program.
    private enum Start {
        case runs(ProgramRun)
        case ended(AttemptOutcome)
    }

    /// Starts a program; blocks until the system has read the program's file.
    private func start(_ attempt: EffectAttempt, _ order: JSONObject) -> Start {
        let path: String
        do throws(MissingProgram) {
            path = try file(of: String(attempt.queue.dropFirst(queues.count)))
        } catch {
            return .ended(.held(error.reason))
        }
        var arguments: [String] = []
        if case .array(let words)? = order["args"] { arguments = words.compactMap(\.string) }
        let input = attempt.request["input"] ?? .null
        do throws(ProgramFailure) {
            return .runs(
                try ProgramRun(
                    path, arguments, variables: variables(of: attempt),
                    input: JSONWriter.bytes(input) + [UInt8(ascii: "\n")], grace: grace))
        } catch {
            return .ended(.failed(.again("exit", error.message)))
        }
    }

    package func missing(for action: EffectAction) async -> [String] {
        guard case .exec(let exec) = action else { return [] }
        return await ProgramStart.aside { [self] in
            do throws(MissingProgram) {
                _ = try file(of: exec.program)
                return []
            } catch {
                return [error.reason]
            }
        }
    }

    /// The reason why a program cannot be run. Effects of the program are held until somebody corrects the cause.
    private struct MissingProgram: Error {
        let reason: String
    }

    private func file(of name: String) throws(MissingProgram) -> String {
        guard let path = programs[name] else {
            throw MissingProgram(reason: "there is no program '\(name)': start wfd with --exec \(name)=/path")
        }
        guard ProgramStart.path(of: path, in: [:]) != nil else {
            throw MissingProgram(
                reason: "program '\(name)' cannot be run: '\(path)' is no file that may be executed")
        }
        return path
    }

    /// Returns the environment variables of a program, which sees no others.
    private func variables(of attempt: EffectAttempt) -> [String: String] {
        [
            "PATH": search ?? "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "WFD_INSTANCE": attempt.instance.rawValue, "WFD_KEY": attempt.key.text,
            "WFD_ATTEMPT": String(attempt.number),
        ]
    }

    /// Waits for the end of a program. Ends a program that takes too long or whose result nobody awaits any more.
    private func outcome(of program: ProgramRun, limit: Int, timeout: Duration) async -> AttemptOutcome {
        await withTaskCancellationHandler {
            await withTaskGroup(of: ProgramRun.Outcome?.self) { group in
                group.addTask { await program.outcome(keeping: limit) { _ in } }
                group.addTask {
                    // The sleep is cancelled when the program has ended.
                    try? await Task.sleep(for: timeout)
                    return nil
                }
                var isLate = false
                while let ended = await group.next() {
                    guard let outcome = ended else {
                        isLate = true
                        program.terminate()
                        continue
                    }
                    group.cancelAll()
                    if isLate { return .failed(.again("timeout", "the program took longer than \(timeout)")) }
                    return AttemptOutcome(ProgramReport(outcome, keeping: limit))
                }
                // Proof: the first task of the group gives an outcome however the program ends.
                preconditionFailure("one of the group waits for the program")
            }
        } onCancel: {
            program.terminate()
        }
    }
}

extension AttemptOutcome {
    fileprivate init(_ report: ProgramReport) {
        switch report {
        case .completed(let value): self = .done(value)
        case .failed(let failure):
            self = .failed(
                TaskFailure(
                    type: failure.type, message: failure.message, facts: failure.facts, canRetry: failure.canRetry))
        }
    }
}
