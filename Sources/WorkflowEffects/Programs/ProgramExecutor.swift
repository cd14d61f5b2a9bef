package import WorkflowEngine
import WorkflowJSON
import WorkflowPrograms
import WorkflowStore

/// Runs programs for instances: those that the operator has named, and no others.
package final class ProgramExecutor: EffectExecutor {
    package let queues = "exec:"
    package let places: Int
    package var placesOfQueue: Int { places }

    private let programs: [String: String]
    private let search: String?

    /// - Parameters:
    ///   - programs: The files of programs by the names that machines have for them.
    ///   - places: How many run at a time.
    ///   - search: Where programs find others: the daemon's `PATH`.
    package init(_ programs: [String: String], places: Int, search: String?) {
        self.programs = programs
        self.places = places
        self.search = search
    }

    /// Milliseconds of an attempt of which the definition says nothing.
    private static let timeout: Int64 = 300_000
    private static let maxBytes: Int64 = 256 << 10
    /// The exit code of a program for which trying again makes no sense; that of bad data in `sysexits.h`.
    private static let hopeless: Int32 = 65

    package func run(_ attempt: EffectAttempt) async -> AttemptOutcome {
        if let reason = attempt.request["invalid"]?.string { return .failed(.final("invalid-request", reason)) }
        let name = String(attempt.queue.dropFirst(queues.count))
        guard let path = programs[name] else {
            return .held("there is no program '\(name)': start wfd with --exec \(name)=/path")
        }
        guard ProgramStart.path(of: path, in: [:]) != nil else {
            return .held("program '\(name)' cannot be run: '\(path)' is no file that may be executed")
        }
        let order = attempt.request["exec"]?.object ?? JSONObject()
        var arguments: [String] = []
        if case .array(let words)? = order["args"] { arguments = words.compactMap(\.string) }
        let input = attempt.request["input"] ?? .null
        let program: ProgramRun
        do throws(ProgramFailure) {
            program = try ProgramRun(
                path, arguments, variables: variables(of: attempt),
                input: JSONWriter.bytes(input) + [UInt8(ascii: "\n")])
        } catch {
            return .failed(.again("exit", error.message))
        }
        let limit = Int(order["maxBytes"]?.integer ?? Self.maxBytes)
        let timeout = Duration.milliseconds(order["attemptTimeout"]?.integer ?? Self.timeout)
        return await outcome(of: program, limit: limit, timeout: timeout)
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
                    return Self.outcome(outcome, limit: limit)
                }
                preconditionFailure("one of the group waits for the program")
            }
        } onCancel: {
            program.terminate()
        }
    }

    private static func outcome(_ run: ProgramRun.Outcome, limit: Int) -> AttemptOutcome {
        var facts = JSONObject()
        if !run.errors.isEmpty { facts["stderr"] = .string(String(decoding: run.errors, as: UTF8.self)) }
        func failed(_ type: String, _ message: String, canRetry: Bool = true) -> AttemptOutcome {
            .failed(TaskFailure(type: type, message: message, facts: facts, canRetry: canRetry))
        }
        if run.isTooLong { return failed("too-large", "it printed more than \(limit) bytes", canRetry: false) }
        switch run.end {
        case .killed(let signal):
            facts["signal"] = .int(Int64(signal))
            return failed("exit", "killed by signal \(signal)")
        case .exited(0):
            guard run.output.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return .done(.null) }
            do throws(JSONError) {
                return .done(try JSONReader.value(from: run.output))
            } catch {
                return failed("invalid-output", "its output is not JSON: \(error.description)", canRetry: false)
            }
        case .exited(let code):
            facts["code"] = .int(Int64(code))
            return failed("exit", "exit code \(code)", canRetry: code != hopeless)
        }
    }
}
