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

    @Test func itCountsDownAndFlies() throws {
        let view = try RocketView()
        view.fire()
        #expect(!view.isFireEnabled)
        #expect(view.machine.context.count == 5)
        #expect(view.machine.advance(by: .seconds(4)).count == 4)
        #expect(view.machine.context.count == 1)
        #expect(!view.hasFlown)
        view.machine.advance(by: .seconds(1))
        #expect(view.hasFlown)
        #expect(view.machine.state == .launched)
    }

    @Test func abortingStopsTheClock() throws {
        let view = try RocketView()
        view.fire()
        view.machine.advance(by: .seconds(4))
        try view.machine.send(.abort)
        #expect(view.isFireEnabled)
        #expect(view.machine.advance(by: .seconds(60)).isEmpty)
        view.fire()
        #expect(view.machine.context.count == 5)
    }
}
