import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON

/// What the writer keeps of instances is bounded in bytes: of what they are now, and not of what they began with.
@Suite(.timeLimit(.minutes(5))) struct WorkingSetTests {
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

    /// Whether the next event of an instance needs the store.
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
