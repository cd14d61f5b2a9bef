package import Statechart
package import WorkflowEngine
import WorkflowJSON
import WorkflowPrograms
package import WorkflowStore

/// Runs programs for instances: those that the operator has named, and no others.
package final class ProgramExecutor: EffectExecutor {
    package let queues = "exec:"
    package let places: Int
    package var placesOfQueue: Int { places }
    package let log: (any AttemptLog)?

    private let programs: [String: String]
    private let search: String?
    private let grace: Duration

    /// - Parameters:
    ///   - programs: The files of programs by the names that machines have for them.
    ///   - places: How many run at a time.
    ///   - search: Where programs find others: the daemon's `PATH`.
    ///   - log: Keeps their begins: a program may kill the daemon.
    ///   - grace: How long a program that is told to end may refuse.
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

    /// Milliseconds of an attempt of which the definition says nothing.
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

    /// Blocks until the system has read the program's file.
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

    /// Why a program cannot be run: its effects are held until somebody has mended that.
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

    /// What a program sees of its surroundings, and nothing else.
    private func variables(of attempt: EffectAttempt) -> [String: String] {
        [
            "PATH": search ?? "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "WFD_INSTANCE": attempt.instance.rawValue, "WFD_KEY": attempt.key.text,
            "WFD_ATTEMPT": String(attempt.number),
        ]
    }

    /// Waits for the end of a program, and ends it when it takes too long or nobody wants it any more.
    private func outcome(of program: ProgramRun, limit: Int, timeout: Duration) async -> AttemptOutcome {
        await withTaskCancellationHandler {
            await withTaskGroup(of: ProgramRun.Outcome?.self) { group in
                group.addTask { await program.outcome(keeping: limit) { _ in } }
                group.addTask {
                    // Cancelled when the program has ended.
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
