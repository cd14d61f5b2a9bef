import IdentityTesting
import Logging
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests stores that lack optional capabilities: requests that need them are refused, and everything else works.
@Suite(.timeLimit(.minutes(20))) struct CapabilityTests {
    @Test func aStoreWithoutBackupsRefusesThemAndTheEngineWorksOn() async throws {
        let running = try await RunningEngine(store: FakeStore())
        try await running.start("a")
        for _ in 1...2 {
            let error = #expect(throws: Rejection.self) { _ = try running.engine.backup() }
            #expect(error?.code == .notImplemented)
            #expect(
                error?.message
                    == "Cannot make a backup: the daemon's store has none; back it up by its own means")
        }
        let fetch = await #expect(throws: Rejection.self) {
            _ = try await running.engine.fetchBackup("0123456789abcdef")
        }
        #expect(fetch?.code == .notImplemented)
        #expect(try await running.flip("a").seq.rawValue == 2)
        try await running.stop()
    }

    @Test func aStoreThatCannotBeComparedIsNotVerified() async throws {
        let running = try await RunningEngine(store: FakeStore())
        try await running.start("a")
        let why = "Cannot go through all that the store holds: this kind of store does not offer that"
        let rejection = #expect(throws: Rejection.self) { try running.engine.requireAudit() }
        #expect(rejection?.code == .notImplemented && rejection?.message == why)
        for name in [nil, "a"] as [InstanceName?] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await running.engine.verify(instance: name, by: .test) { _ in }
            }
            #expect(error?.code == .unsupported && error?.message == why)
        }
        let machine = try DefinitionReader.read("id: m\ninitial: a\nstates: {a: {}}\n").machine
        let error = await #expect(throws: StoreError.self) {
            _ = try await running.engine.backtest(machine: "m", versions: [], with: machine, by: .test) { _ in }
        }
        #expect(error?.code == .unsupported)
        #expect(try await running.flip("a").seq.rawValue == 2)
        try await running.stop()
    }

    @Test func aSecondEngineOnTheSameStoreAnswersThatTheWritingSideIsTaken() async throws {
        let store = FakeStore()
        let first = try await RunningEngine(store: store)
        try await first.start("a")
        let second = Engine(store: store, logger: Logger(label: "second") { _ in SwiftLogNoOpLogHandler() })
        let asked = Task { try await second.send(SendCommand(instance: "a", event: Event(name: "flip"))) }
        let error = await #expect(throws: StoreError.self) { try await second.run() }
        #expect(error?.code == .locked)
        await #expect(throws: Rejection.self) { _ = try await asked.value }
        #expect(try await first.flip("a").seq.rawValue == 2)
        try await first.stop()
    }
}
