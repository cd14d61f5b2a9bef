import Ports
import StateMachines
import Testing

/// The assertions of SwiftState's README.
struct NumbersTests {
    @Test func itGoesToNamedStates() throws {
        var told: [String] = []
        let machine = try StateMachine(Numbers.self)
        machine.onTransition { move in
            if move.wasIn(.state0), move.isIn(.state1) { told.append("0 => 1") }
            if move.isIn(.state2), case .to2(let message)? = move.sent {
                told.append("Any => 2, msg=\(message ?? "nil")")
            }
            if move.wasIn(.state2), case .to1(let message)? = move.sent {
                told.append("2 => Any, msg=\(message ?? "nil")")
            }
        }
        #expect(machine.state == .state0)
        try machine.send(.to1(message: nil))
        #expect(machine.state == .state1)
        try machine.send(.to2(message: "Hello"))
        #expect(machine.state == .state2)
        try machine.send(.to1(message: "Bye"))
        #expect(machine.state == .state1)
        // There is no way from 1 to 0.
        #expect(throws: Refusal<Numbers>.self) { try machine.send(.to0(message: nil)) }
        #expect(machine.state == .state1)
        #expect(told == ["0 => 1", "Any => 2, msg=Hello", "2 => Any, msg=Bye"])
    }

    @Test func oneEventLeadsOn() throws {
        var triggered = 0
        let machine = try StateMachine(Steps.self)
        machine.onTransition { move in if move.eventName == .event0 { triggered += 1 } }
        #expect(machine.state == .state0)
        machine.attempt(.event0)
        #expect(machine.state == .state1)
        machine.attempt(.event0)
        #expect(machine.state == .state2)
        #expect(!machine.attempt(.event0))
        #expect(machine.state == .state2)
        #expect(triggered == 2)
    }
}
