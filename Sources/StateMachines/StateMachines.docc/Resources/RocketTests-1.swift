import Seeds
import StateMachines
import Testing

@MainActor struct RocketTests {
    @Test func theDefinitionHasNoMistakes() throws {
        #expect(try Rocket.definition.check().isEmpty)
    }
}
