import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests that a definition that no history can record is refused when it is applied, never later.
@Suite struct RefusedOutputTests {
    @Test(.timeLimit(.minutes(20))) func aDefinitionThatEmitsIsNotStored() async throws {
        let timed = try await TimedEngine()
        let rejection = await #expect(throws: Rejection.self) {
            _ = try await timed.engine.apply(
                "{id: m, initial: a, states: {a: {exit: {emit: {event: x}}}}}", syntax: .yaml)
        }
        #expect(rejection?.kind == "invalidDefinition")
        #expect(rejection?.message == "The definition has a mistake")
        let missing = await #expect(throws: Rejection.self) {
            _ = try await timed.engine.machine(
                named: MachineName(rawValue: "m"), version: nil, by: .test)
        }
        #expect(missing?.code == .machineNotFound)
        try await timed.stop()
    }
}
