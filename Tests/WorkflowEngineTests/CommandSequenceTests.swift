import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests events that are sent one after another: if one could not be carried out, no later one is applied.
@Suite struct CommandSequenceTests {
    private static func flips(_ names: [String]) -> [LineCommand] {
        names.map { .send(SendCommand(instance: $0, event: Event(name: "flip"))) }
    }

    private static func outcomes(of sends: [PendingSends]) async -> [String] {
        var outcomes: [String] = []
        for send in sends {
            outcomes += await send.outcomes().map { outcome in
                switch outcome {
                case .success(let sent): "\(sent.seq.rawValue)"
                case .failure(let rejection): rejection.kind
                }
            }
        }
        return outcomes
    }

    @Test(.timeLimit(.minutes(20)), arguments: 2...5)
    func behindACommitThatFailedNothingIsApplied(attempt: Int) async throws {
        let store = FakeStore()
        var limits = EngineLimits()
        limits.batchRows = 4
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.start("lamp-1")
        try await running.start("held")
        store.fail { number, _ in number == attempt ? StoreError(.unavailable, "made to fail") : nil }
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        let sequence = CommandSequence()
        var sends: [PendingSends] = []
        for _ in 0..<20 {
            sends.append(
                try await running.engine.beginWhenRoom(
                    Self.flips(["lamp-1", "lamp-1", "lamp-1"]), in: sequence))
        }
        store.hold.open()
        _ = try await held

        let outcomes = await Self.outcomes(of: sends)
        let applied = outcomes.prefix { $0 != "storageUnavailable" }.count
        try #require(applied < outcomes.count, "a commit failed")
        #expect(outcomes.prefix(applied) == (0..<applied).map { "\($0 + 2)" }[...])
        #expect(Set(outcomes.dropFirst(applied)) == ["storageUnavailable"])
        #expect(try await running.engine.instance(named: "lamp-1").record.seq.rawValue == Int64(applied) + 1)
        // Commands that come later are no part of it.
        let next = try await running.engine.beginWhenRoom(Self.flips(["lamp-1"]), in: CommandSequence())
        #expect(await Self.outcomes(of: [next]) == ["\(applied + 2)"])
        try await running.stop()
    }

    @Test(.onePartition("lines of different lanes do not wait for each other"), .timeLimit(.minutes(20)))
    func behindALookupThatFailedNothingIsApplied() async throws {
        let names = ["a", "b", "c"]
        let first = FakeStore()
        let before = try await RunningEngine(store: first)
        for name in names { try await before.start(name) }
        try await before.stop()

        let store = first.reopened()
        let running = try await RunningEngine(store: store)
        store.content.withLock { $0.failingLookups = 1 }
        for expected in [["storageUnavailable", "storageUnavailable", "storageUnavailable"], ["2", "2", "2"]] {
            let sends = try await running.engine.beginWhenRoom(Self.flips(names), in: CommandSequence())
            #expect(await Self.outcomes(of: [sends]) == expected)
        }
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatIsRefusedForAReasonOfItsOwnKeepsNothingBack() async throws {
        let running = try await RunningEngine(store: FakeStore())
        try await running.start("lamp-1")
        let sends = try await running.engine.beginWhenRoom(
            Self.flips(["lamp-1", "nobody", "lamp-1"]), in: CommandSequence())
        #expect(await Self.outcomes(of: [sends]) == ["2", "instanceNotFound", "3"])
        try await running.stop()
    }
}
