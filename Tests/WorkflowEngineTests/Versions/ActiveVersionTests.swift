import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests which version new instances take.
@Suite(.timeLimit(.minutes(20))) struct ActiveVersionTests {
    private static func text(_ number: Int) -> String { "id: m\ncontext: {v: \(number)}\ninitial: a\nstates: {a: {}}" }

    private static func engine(
        versions: Int = 2, in store: FakeStore = FakeStore()
    ) async throws -> RunningEngine {
        let running = try await RunningEngine(store: store)
        for number in 1...versions { _ = try await running.engine.apply(text(number), syntax: .yaml, by: .test) }
        return running
    }

    private static func activate(_ engine: Engine, _ version: MachineVersion?) async throws -> SettledMachine {
        try await engine.set(SetMachineCommand(machine: "m", .active(version), by: .test))
    }

    private static func version(_ engine: Engine, _ wanted: MachineVersion? = nil) async throws -> MachineVersion {
        try await engine.start(StartCommand(machine: "m", version: wanted, by: .test)).machine.version
    }

    @Test func startsTakeTheActiveVersionElseTheLatest() async throws {
        let store = FakeStore()
        let running = try await Self.engine(in: store)
        let engine = running.engine
        #expect(try await Self.version(engine) == 2)
        let settled = try await Self.activate(engine, 1)
        #expect(settled.setting.active == 1 && settled.latest == 2)
        #expect(try await Self.version(engine) == 1)
        #expect(try await Self.version(engine, 2) == 2)
        _ = try await engine.apply(Self.text(3), syntax: .yaml, by: .test)
        #expect(try await Self.version(engine) == 1)
        #expect(try await engine.setting(of: "m", by: .test).active == 1)
        _ = try await Self.activate(engine, nil)
        #expect(try await Self.version(engine) == 3)
        #expect(store.content.withLock { $0.settings } == [:])
        try await running.stop()
    }

    @Test func theLastThatWasSetHoldsInTheSameBatchAndBesideACommit() async throws {
        let running = try await Self.engine(versions: 3)
        let engine = running.engine
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let wanted = MachineVersion(rawValue: Int64(number % 3) + 1)
                    _ = try await Self.activate(engine, wanted)
                    _ = try await Self.version(engine)
                }
            }
            try await group.waitForAll()
        }
        let last = try await engine.setting(of: "m", by: .test).active
        #expect(try await Self.version(engine) == last)
        try await running.stop()
    }

    @Test func aVersionThatIsNotActivatedLeavesTheOneOfBefore() async throws {
        let running = try await RunningEngine(store: FakeStore())
        let engine = running.engine
        func apply(_ number: Int, isActivated: Bool = false) async throws -> AppliedMachine {
            try await engine.apply(Self.text(number), syntax: .yaml, isActivated: isActivated, by: .test).0
        }
        // The first has none before it.
        #expect(try await apply(1).active == nil)
        let second = try await apply(2)
        #expect(second.active == 1 && second.isNew)
        #expect(try await apply(2).active == 1)
        #expect(try await Self.version(engine) == 1)
        // A pinned version stays active, whether the next is to be activated or not.
        #expect(try await apply(3, isActivated: true).active == 1)
        #expect(try await Self.version(engine) == 1)
        try await running.stop()
    }

    @Test func whatIsSetOutlivesARestart() async throws {
        let store = FakeStore()
        let running = try await Self.engine(in: store)
        _ = try await Self.activate(running.engine, 1)
        try await running.stop()
        let again = try await RunningEngine(store: store.reopened())
        #expect(try await Self.version(again.engine) == 1)
        try await again.stop()
    }

    @Test func aBatchThatIsNotWrittenSetsNothing() async throws {
        let store = FakeStore()
        let running = try await Self.engine(in: store)
        store.fail { attempt, _ in attempt == 1 ? StoreError(.unavailable, "full") : nil }
        await #expect(throws: Rejection.self) { try await Self.activate(running.engine, 1) }
        #expect(try await Self.version(running.engine) == 2)
        try await running.stop()
    }

    @Test func whatIsNotThereCannotBeActivated() async throws {
        let running = try await Self.engine()
        func told(_ machine: MachineName, _ version: MachineVersion?) async -> String {
            do throws(Rejection) {
                _ = try await running.engine.set(SetMachineCommand(machine: machine, .active(version), by: .test))
                return "none"
            } catch {
                return error.message
            }
        }
        #expect(await told("m", 3) == "Machine 'm' has no version 3 (latest is 2)")
        #expect(await told("n", nil) == "There is no machine 'n'")
        try await running.stop()
    }

    @Test func settingsHaveABound() async throws {
        var limits = EngineLimits()
        limits.settledMachines = 1
        let running = try await RunningEngine(store: FakeStore(), limits: limits)
        for name in ["a", "b"] {
            try await running.engine.apply("id: \(name)\ninitial: a\nstates: {a: {}}", syntax: .yaml)
        }
        _ = try await running.engine.set(SetMachineCommand(machine: "a", .retention(5), by: .test))
        await #expect(throws: Rejection.self) {
            try await running.engine.set(SetMachineCommand(machine: "b", .retention(5), by: .test))
        }
        _ = try await running.engine.set(SetMachineCommand(machine: "a", .suspended(true), by: .test))
        let setting = try await running.engine.setting(of: "a", by: .test)
        #expect(setting.isSuspended && setting.active == nil && setting.retention == 5)
        try await running.stop()
    }
}
