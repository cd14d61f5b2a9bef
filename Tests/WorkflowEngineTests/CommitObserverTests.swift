import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests that observers of commits get the rows on disk, once, in their order.
@Suite struct CommitObserverTests {
    /// An observer that records its notifications.
    private final class Recorder: CommitObserver {
        struct Told {
            var rows: [JournalRecord] = []
            var positions: [ClosedRange<Position>] = []
            var pending: [TimerHint] = []
            /// The number of rows that were reported before the store had them.
            var early = 0
        }

        let told = Mutex(Told())
        private let store: FakeStore

        init(_ store: FakeStore) {
            self.store = store
        }

        func committed(_ committed: Committed) {
            let stored = store.content.withLock { $0.journal.count }
            told.withLock { told in
                told.rows += Array(committed.rows)
                if let positions = committed.positions { told.positions.append(positions) }
                told.pending += Array(committed.pending)
                told.early += max(0, told.rows.count - stored)
            }
        }
    }

    private static let reminder = """
        id: reminder
        initial: on
        states:
          on:
            after: {1d: off}
            on: {look: {}}
          off: {}
        """

    /// The batches have four commands each. Some are written together, and one of them is not written at first.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 4], [StoreError.Code.unavailable, .constraint])
    func eachRowIsToldOnceWhenItIsOnDisk(together: Int, failure: StoreError.Code) async throws {
        let store = FakeStore()
        let recorder = Recorder(store)
        var limits = EngineLimits()
        limits.batchRows = 4
        limits.batchesTogether = together
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits, observers: [recorder])
        try await running.start("a")
        store.fail { number, _ in number == 3 ? StoreError(failure, "made to fail") : nil }
        let flip = SendCommand(instance: "a", event: Event(name: "flip"))
        let outcomes = try await running.engine.send(Array(repeating: flip, count: 40))
        try await running.stop()
        let journal = store.content.withLock { $0.journal }
        let told = recorder.told.withLock { $0 }
        #expect(told.rows == journal && told.early == 0)
        #expect(told.rows.count == 1 + outcomes.count { (try? $0.get()) != nil })
        #expect(told.positions.map(\.lowerBound).first == journal.first?.position)
        #expect(told.positions.map(\.upperBound).last == journal.last?.position)
        #expect(zip(told.positions, told.positions.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }

    @Test(.timeLimit(.minutes(20))) func whatIsArmedIsToldWithTheRowsThatArmIt() async throws {
        let store = FakeStore()
        let recorder = Recorder(store)
        let running = try await RunningEngine(store: store, clock: HandClock(), observers: [recorder])
        _ = try await running.engine.apply(Self.reminder, syntax: .yaml)
        let started = try await running.engine.start(StartCommand(machine: "reminder", instance: "r")).record
        // Callers are answered before this observer is told.
        try await running.stop()
        #expect(recorder.told.withLock { $0.pending.map(\.instance) } == [started.id])
        #expect(recorder.told.withLock { $0.pending.map(\.key.due.rawValue) } == [1_700_000_000_000 + 86_400_000])
    }
}
