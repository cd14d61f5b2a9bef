import Ports
import StateMachines
import Testing

/// The answers of `isValidNextState` in each state of Apple's sample, and its lights.
@MainActor struct DispenserTests {
    /// Returns a dispenser in a state.
    private func dispenser(_ events: [Dispenser.Event]) throws -> StateMachine<Dispenser> {
        let machine = try StateMachine(Dispenser.self)
        for event in events { try machine.send(event) }
        return machine
    }

    @Test(
        arguments: [
            ([], .full, [.serving]),
            ([.serve, .served], .partiallyFull, [.serving, .refilling]),
            ([.serve, .served, .serve, .served, .serve, .served], .empty, [.refilling]),
            ([.serve, .served, .refill], .refilling, [.full]),
        ] as [([Dispenser.Event], Dispenser.State, [Dispenser.State])])
    func aStateHasItsNextStates(events: [Dispenser.Event], state: Dispenser.State, next: [Dispenser.State]) throws {
        let machine = try dispenser(events)
        #expect(machine.state == state)
        #expect(Dispenser.State.allCases.filter(machine.canReach) == next)
    }

    /// The water that is left decides what a cup leads to; GameplayKit decides it in the animation's end.
    @Test func aCupLeadsToPartiallyFullOrEmpty() throws {
        #expect(try dispenser([.serve]).canReach(.partiallyFull))
        #expect(try !dispenser([.serve]).canReach(.empty))
        #expect(try dispenser([.serve, .served, .serve, .served, .serve]).canReach(.empty))
    }

    @Test func theLightIsGreenThenFlashesRed() throws {
        let light = Light()
        let machine = try dispenser([.serve, .served, .refill])
        machine.set(Full(light), for: .full)
        machine.set(Empty(light), for: .empty)
        #expect(light.color == .black)
        try machine.send(.refilled)
        #expect(light.color == .green)
        for _ in 0..<3 {
            try machine.send(.serve)
            #expect(light.color == .black)
            try machine.send(.served)
        }
        #expect(machine.state == .empty && light.color == .red)
        machine.update(deltaTime: .milliseconds(601))
        #expect(light.color == .black)
        machine.update(deltaTime: .milliseconds(300))
        #expect(light.color == .black)
        machine.update(deltaTime: .milliseconds(301))
        #expect(light.color == .red)
        try machine.send(.refill)
        #expect(light.color == .black)
    }
}
