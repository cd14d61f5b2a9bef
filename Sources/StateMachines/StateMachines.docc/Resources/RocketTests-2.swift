import Seeds
import StateMachines
import Testing

@MainActor struct RocketTests {
    @Test func theDefinitionHasNoMistakes() throws {
        #expect(try Rocket.definition.check().isEmpty)
    }

    @Test func aRocketThatStandsCannotAbort() throws {
        let rocket = try StateMachine(Rocket.self)
        let refusal = #expect(throws: Refusal<Rocket>.self) { try rocket.send(.abort) }
        #expect(refusal?.accepted == [.fire])
    }
}
