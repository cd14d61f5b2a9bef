import Foundation
import IdentityTesting
import StoreTesting
import WorkflowEngine
import WorkflowStore

/// Carries out the steps of the scenario one after another, whatever the store does meanwhile. A step without an answer
/// is sent again, a failed one is repeated, and an engine that has ended is started again.
final class Simulation {
    let path: String
    private let clock: HandClock
    /// The answers of a run without faults; `nil` to record them.
    private let reference: Reference?
    private var running: SimulatedEngine?
    private(set) var found = Reference()
    /// The number of starts of an engine.
    private(set) var starts = 0

    /// The result of a run without faults.
    struct Reference: Sendable {
        var told: [Told] = []
    }

    /// A result that must not occur.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter step: The first step of the run.
    init(at path: String, reference: Reference?, step: Int = 0) {
        self.path = path
        self.reference = reference
        let time = Scenario.steps[max(0, step - 1)].time
        clock = HandClock(Scenario.begin + time)
    }

    /// Carries out all steps from one on.
    func run(from first: Int = 0, before: (Int) -> Void = { _ in }) async throws {
        for number in Scenario.steps.indices.dropFirst(first) {
            before(number)
            let time = Scenario.begin + Scenario.steps[number].time
            clock.advance(time - clock.now().rawValue)
            let told = try await take(number)
            if let reference {
                guard told == nil || told == reference.told[number] else {
                    throw Failure(description: "step \(number) was told \(told as Any), not \(reference.told[number])")
                }
            } else {
                found.told.append(told ?? Told())
            }
        }
    }

    /// Repeats one step until it is done, and then waits for the items that are due at its time. `nil` if the step had
    /// been done before, without an answer.
    private func take(_ number: Int) async throws -> Told? {
        let told = try await take(Scenario.steps[number], number)
        let wait = Scenario.Step(action: .wait, time: Scenario.steps[number].time, key: nil)
        _ = try await take(wait, nil)
        return told
    }

    private func take(_ step: Scenario.Step, _ number: Int?) async throws -> Told? {
        var isCertain = true
        var last = "no engine starts"
        for _ in 0..<20 {
            guard let engine = try await engine() else { continue }
            if let number, !isCertain || number == resumed, try await isTaken(number) {
                // The engine erases redacted data by itself, and nobody waits for that here.
                if case .redact = step.action, !(try await isErased(by: engine)) { continue }
                return nil
            }
            do throws(Rejection) {
                return try await engine.take(step)
            } catch {
                last = error.message
                switch error.code {
                case .storageUnavailable:
                    // Either it is worth trying again, or the engine is at its end.
                    if error.message.contains("the daemon has stopped") { try await restart() }
                case .outcomeUnknown, .draining:
                    isCertain = false
                    try await restart()
                default: return Told(rejection: error.kind)
                }
            }
        }
        throw Failure(description: "step \(number ?? -1) cannot be taken: \(last)")
    }

    /// The step that was under way when the run began: it may have been done.
    var resumed: Int?

    /// Returns true if a step was done. Without a key this shows in the state of its instance; with a key the step can
    /// be repeated.
    private func isTaken(_ number: Int) async throws -> Bool {
        guard let reference, Scenario.steps[number].key == nil else { return false }
        switch Scenario.steps[number].action {
        case .apply, .purge, .wait: return false
        case .delete(let name): return try await seqs()[name] == nil
        case .start(let name), .send(let name, _, _), .repair(let name, _), .reset(let name, _), .redact(let name, _),
            .migrate(let name, _), .undo(let name):
            // Timers may have come since the step before: its own row is what counts.
            guard let from = reference.told[number].seqs.first else { return false }
            return try await seqs()[name] ?? 0 > from
        }
    }

    /// Returns true if all begun erasures are complete. An engine at its end is started again.
    private func isErased(by engine: Engine) async throws -> Bool {
        do throws(Rejection) {
            _ = try await engine.resumeErasures()
            return true
        } catch {
            guard [.storageUnavailable, .outcomeUnknown, .draining].contains(error.code) else { throw error }
            try await restart()
            return false
        }
    }

    /// Returns the running engine; `nil` if it cannot be started this time.
    private func engine() async throws -> Engine? {
        if let running, case .readOnly = running.engine.currentHealth { try await restart() }
        if let running { return running.engine }
        do {
            let started = try SimulatedEngine(at: path, clock: clock)
            starts += 1
            running = started
            return started.engine
        } catch is StoreError {
            return nil
        }
    }

    private func restart() async throws {
        // Why it ended is known.
        try? await running?.stop()
        running = nil
    }

    private func seqs() async throws -> [String: Int64] {
        for _ in 0..<5 {
            guard let engine = try await engine() else { continue }
            var seqs: [String: Int64] = [:]
            do throws(StoreError) {
                for name in Scenario.instances {
                    seqs[name] = try await engine.store.instance(named: name)?.seq.rawValue
                }
                return seqs
            } catch {
                continue
            }
        }
        throw Failure(description: "the instances cannot be read")
    }

    /// Leaves the file without closing it properly, as far as this process can.
    func stop() async throws {
        try await running?.stop()
        running = nil
    }
}
