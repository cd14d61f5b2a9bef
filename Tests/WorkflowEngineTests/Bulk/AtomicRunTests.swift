import IdentityTesting
import Statechart
import Synchronization
import Testing
import ThreadTesting
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // A command that is sent behind the begin of a run, before its turn.

/// Tests a run for all or none with an instance that fails again.
@Suite(.timeLimit(.minutes(20))) struct AtomicRunTests {
    /// Removes data that an instance needs to continue, as soon as the begin of a run is on disk. Parts of runs come
    /// after all commands in the queue, and the writer notifies the observers before it takes the next commands.
    private final class Spoiler: CommitObserver {
        let engine = Mutex<Engine?>(nil)

        func committed(_ committed: Committed) {
            guard committed.batches.contains(where: { !$0.batch.changedRuns.isEmpty }),
                let engine = engine.withLock({ $0.take() })
            else { return }
            let change = ContextChange(set: ["by": 0], unset: [])
            engine.queue.begin(RepairCommand(instance: "p-1", .set(change), reason: "r")) { _ in }
        }
    }

    @Test func verificationKnowsThatItHasDoneNothing() async throws {
        let (folder, spoiler) = (try StoreFolder(), Spoiler())
        let running = try await RunningEngine(store: folder.open(), observers: [spoiler])
        let engine = running.engine
        _ = try await engine.apply(BulkBench.pot, syntax: .yaml)
        let change = ContextChange(set: ["by": 2], unset: [])
        for name in ["p-0", "p-1", "p-2"] {
            _ = try await engine.start(StartCommand(machine: "pot", instance: name))
            _ = try await engine.send(SendCommand(instance: name, event: Event(name: "poke")))
            _ = try await engine.repair(RepairCommand(instance: name, .set(change), reason: "r"))
        }
        let before = try await engine.instance(named: "p-0").record
        #expect(before.status == .failed)
        let request = BulkRequest(
            action: .repair(.retry), targets: .selection(BulkSelection(machines: ["pot"], statuses: [.failed])),
            reason: "r", isAtomic: true)
        spoiler.engine.withLock { $0 = engine }
        #expect(try await engine.begin(run: "r", request, [], by: .test).record.selected == 3)
        try await eventually("the run has ended") { try await engine.run(named: "r", by: .test).record.state == .done }
        #expect(try await engine.run(named: "r", by: .test).outcome.brief == "failed 1")
        #expect(try await engine.instance(named: "p-0").record == before)
        let counts = try await engine.verify(instance: nil, by: .test) { event in
            if case .inconsistency(let finding) = event { Issue.record("\(finding)") }
        }
        #expect(counts?.differences == 0)
        try await running.stop()
    }
}
