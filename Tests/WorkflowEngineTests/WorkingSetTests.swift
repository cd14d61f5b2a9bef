import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // What the writer keeps is no part of what the daemon uses.

/// Tests that the writer's memory of instances is bounded in bytes: of their present state, not of their initial one.
@Suite(.timeLimit(.minutes(20))) struct WorkingSetTests {
    private static let definition = """
        {id: pad, initial: on, context: {text: ''},
         states: {on: {on: {fill: {actions: {assign: {text: event.data.text}}}, look: {}}}}}
        """
    private static let text: JSONObject = ["text": .string(String(repeating: "x", count: 10_000))]

    private static func engine(on store: FakeStore) async throws -> RunningEngine {
        var limits = EngineLimits()
        limits.cachedInstanceBytes = 200_000
        let running = try await RunningEngine(store: store, limits: limits)
        _ = try await running.engine.apply(definition, syntax: .yaml)
        return running
    }

    /// Returns true if the next event of an instance needs the store.
    private static func isForgotten(_ name: String, _ running: RunningEngine, _ store: FakeStore) async throws -> Bool {
        store.forgetTrips()
        _ = try await running.engine.send(SendCommand(instance: name, event: Event(name: "look")))
        return store.trips != FakeStore.Trips()
    }

    @Test(arguments: [true, false]) func largeInstancesMakeRoomForOthers(areLargeAtStart: Bool) async throws {
        let store = FakeStore(isRemote: true)
        let running = try await Self.engine(on: store)
        for number in 1...40 {
            _ = try await running.engine.start(
                StartCommand(machine: "pad", instance: "p\(number)", data: areLargeAtStart ? Self.text : JSONObject()))
        }
        #expect(try await Self.isForgotten("p1", running, store) == areLargeAtStart)
        for number in 1...40 {
            _ = try await running.engine.send(
                SendCommand(instance: "p\(number)", event: Event(name: "fill", data: .object(Self.text))))
        }
        #expect(try await !Self.isForgotten("p40", running, store))
        #expect(try await Self.isForgotten("p1", running, store))
        try await running.stop()
    }
}

/// Tests the writer's copies of effects: as they are on disk, and of bounded size.
@Suite struct RecentEffectsTests {
    private let recent: WorkingSet = WorkingSet(bound: 1 << 20)

    private static func effect(progress: String? = nil) -> EffectRecord {
        EffectRecord(
            id: Position(rawValue: 2), instanceID: InstanceID(rawValue: 1), seq: Seq(rawValue: 1), number: 1,
            name: "a", queue: "task:q", priority: 3, due: Timestamp(rawValue: 1), attempts: 0,
            progress: progress, request: "{}")
    }

    private static func batch(_ change: (inout StoreBatch) -> Void) -> StoreBatch {
        var batch = StoreBatch(
            numbers: StoreNumbers(
                nextPosition: Position(rawValue: 9), nextInstance: InstanceID(rawValue: 9),
                nextMachine: MachineID(rawValue: 9), last: Timestamp(rawValue: 1)))
        change(&batch)
        return batch
    }

    @Test func whatIsOnDiskIsKnownUntilItEnds() {
        let id = Position(rawValue: 2)
        recent.adopt(Self.batch { $0.newEffects = [Self.effect()] })
        recent.adopt(Self.batch { $0.changedEffects = [Self.effect(progress: "1")] })
        #expect(recent.effect(id)?.progress == "1")
        recent.adopt(Self.batch { $0.endedEffects = [id] })
        #expect(recent.effect(id) == nil)
    }

    /// A worker's progress may have a megabyte.
    @Test func whatHasBecomeLargeIsNotKept() {
        recent.adopt(Self.batch { $0.newEffects = [Self.effect()] })
        recent.adopt(
            Self.batch { $0.changedEffects = [Self.effect(progress: String(repeating: "x", count: 20_000))] })
        #expect(recent.effect(Position(rawValue: 2)) == nil)
    }
}
