import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests failed commits: their content is gone from memory too, and every caller is told.
@Suite(.onePartition("the batches of one lane are counted"))
struct CommitFailureTests {
    private static let failures: [(StoreError.Code, String)] = [
        (.unavailable, "storageUnavailable"), (.constraint, "fault"),
    ]

    /// Returns the kind of a rejection; `nil` for success.
    private static func rejection(_ body: () async throws(Rejection) -> Void) async -> String? {
        do throws(Rejection) {
            try await body()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: failures, [1, 2, 3])
    func aSendWhoseCommitFailsLeavesNoTrace(failure: (StoreError.Code, String), attempt: Int) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        store.fail { number, _ in number == attempt ? StoreError(failure.0, "made to fail") : nil }
        for number in 1..<attempt { #expect(try await running.flip("lamp-1").seq.rawValue == Int64(number + 1)) }
        let before = store.content.withLock { ($0.numbers, $0.journal, $0.instances) }
        let counts = running.engine.statistics.counts

        #expect(await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") } == failure.1)

        let after = store.content.withLock { ($0.numbers, $0.journal, $0.instances) }
        #expect(before == after)
        #expect(running.engine.statistics.counts == counts)
        try await eventually("the engine runs") { running.engine.currentHealth != .starting }
        // The writer tries again by itself, and finds that there is room.
        let health = running.engine.currentHealth
        let isFull = failure.0 == .unavailable && health == .storageUnavailable("made to fail")
        #expect(health == .ready || isFull, "\(health)")
        // The next event is the same one again: same seq, same position, the same row before it.
        let sent = try await running.flip("lamp-1", expecting: Int64(attempt))
        #expect(sent.seq.rawValue == Int64(attempt + 1))
        #expect(sent.from == [attempt % 2 == 1 ? "off" : "on"])
        let row = try #require(store.content.withLock { $0.journal.last })
        #expect(row.position == before.0.nextPosition)
        #expect(row.previous == before.1.last?.position)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: failures)
    func aStartWhoseCommitFailsLeavesTheNameFree(failure: (StoreError.Code, String)) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        store.fail { number, _ in number == 1 ? StoreError(failure.0, "made to fail") : nil }
        #expect(await Self.rejection { () throws(Rejection) in try await running.start("lamp-1") } == failure.1)
        let absent = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") }
        #expect(absent == "instanceNotFound")
        #expect(try await running.start("lamp-1").record.id == InstanceID(rawValue: 1))
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: failures)
    func aDefinitionWhoseCommitFailsIsNoVersion(failure: (StoreError.Code, String)) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        store.fail { number, _ in number == 1 ? StoreError(failure.0, "made to fail") : nil }
        let next = RunningEngine.definition + "\ndescription: another text\n"
        let refused = await Self.rejection { () throws(Rejection) in
            _ = try await running.engine.apply(next, syntax: .yaml)
        }
        #expect(refused == failure.1)
        let absent = await Self.rejection { () throws(Rejection) in
            _ = try await running.engine.start(StartCommand(machine: "lamp", version: 2))
        }
        #expect(absent == "machineNotFound")
        let (applied, _) = try await running.engine.apply(next, syntax: .yaml)
        #expect(applied.isNew && applied.record.version == 2 && applied.record.id == MachineID(rawValue: 2))
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: [StoreError.Code.outcomeUnknown, .fenced], [1, 2, 3])
    func afterACommitOfUnknownOutcomeNothingMoreIsWritten(code: StoreError.Code, attempt: Int) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        store.fail { number, _ in number == attempt ? StoreError(code, "made to fail") : nil }
        for _ in 1..<attempt { _ = try await running.flip("lamp-1") }
        let told = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") }
        #expect(told == (code == .outcomeUnknown ? "outcomeUnknown" : "storageUnavailable"))
        do {
            try await running.ended()
            Issue.record("the engine goes on")
        } catch let error as StoreError {
            #expect(error.code == code)
        }
        #expect(running.engine.currentHealth == .readOnly("made to fail"))
        let next = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") }
        #expect(next == "storageUnavailable")
        #expect(store.tries == attempt)
        #expect(try await running.engine.instance(named: "lamp-1").record.seq.rawValue == Int64(attempt))
        #expect(!store.content.withLock { $0.isClosed })
    }

    @Test(.timeLimit(.minutes(20))) func aProbeThatIsFoundOnDiskShowsThatWritingWorks() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        store.content.withLock {
            $0.outcome = .committed
            $0.probeFailure = StoreError(.outcomeUnknown, "made to fail")
        }
        store.fail { number, _ in number == 1 ? StoreError(.unavailable, "made to fail") : nil }
        let told = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") }
        #expect(told == "storageUnavailable")
        try await eventually("the writer has tried again") { store.content.withLock { $0.probeFailure == nil } }
        try await eventually("the engine writes again") { running.engine.currentHealth == .ready }
        #expect(try await running.flip("lamp-1").seq.rawValue == 2)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aCommitThatIsFoundOnDiskIsAnsweredAsSuch() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        store.content.withLock { $0.outcome = .committed }
        store.fail { number, _ in number == 1 ? StoreError(.outcomeUnknown, "made to fail") : nil }
        #expect(try await running.flip("lamp-1").seq.rawValue == 2)
        #expect(try await running.flip("lamp-1", expecting: 2).seq.rawValue == 3)
        #expect(store.content.withLock { $0.journal.map(\.seq.rawValue) } == [1, 2, 3])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aCommitThatIsFoundUndoneLeavesNoTraceAndTheEngineGoesOn() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        store.content.withLock { $0.outcome = .notCommitted }
        store.fail { number, _ in number == 1 ? StoreError(.outcomeUnknown, "made to fail") : nil }
        let told = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1") }
        #expect(told == "storageUnavailable")
        #expect(try await running.flip("lamp-1", expecting: 1).seq.rawValue == 2)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatWritesNothingIsToldOnlyByTheOwner() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("lamp-1")
        #expect(store.content.withLock { $0.confirmations } == 0)
        let refused = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1", expecting: 7)
        }
        #expect(refused == "preconditionFailed")
        #expect(store.content.withLock { $0.confirmations } == 1)
        store.content.withLock { $0.overtaken = StoreError(.fenced, "made to fail") }
        let told = await Self.rejection { () throws(Rejection) in _ = try await running.flip("lamp-1", expecting: 7) }
        #expect(told == "storageUnavailable")
        let error = await #expect(throws: StoreError.self) { try await running.ended() }
        #expect(error?.code == .fenced)
    }
}
