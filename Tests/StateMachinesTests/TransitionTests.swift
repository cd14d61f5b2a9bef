import StateMachines
import Testing

/// Tests what observers see of a move, and the places that messages name.
struct TransitionTests {
    @Test func aMoveHasItsEvent() throws {
        let machine = try StateMachine(Pot.self)
        var heard: [Transition<Pot>] = []
        machine.onTransition { heard.append($0) }
        try machine.send(.pour(litres: 2))
        machine.advance(by: .seconds(10))
        machine.attempt(.lift)
        #expect(heard.map(\.event) == ["pour", "after.10s.full.cold", "lift", "beep"])
        #expect(heard.map(\.eventName) == [.pour, nil, .lift, .beep])
        #expect(heard.map(\.data) == [["litres": 2], nil, nil, nil])
        #expect(heard.map(\.sent) == [.pour(litres: 2), nil, .lift, nil])
    }

    @Test func aNameAloneIsTheEvent() throws {
        let machine = try StateMachine(Plain.self)
        #expect(try machine.send(.go).sent == .go)
        #expect(machine.advance(by: .seconds(1)).map(\.sent) == [nil])
    }

    /// An observer of `full` hears of the states inside it.
    @Test func aMoveKnowsTheAncestors() throws {
        let machine = try StateMachine(Pot.self)
        let move = try machine.send(.pour(litres: 2))
        #expect(move.isIn(.full) && move.isIn(.cold) && !move.wasIn(.full) && move.wasIn(.empty))
        let heated = machine.advance(by: .seconds(10))
        #expect(heated.map { $0.wasIn(.full) && $0.isIn(.full) && !$0.isIn(.cold) } == [true])
    }

    @Test func movesAreEqualByTheirParts() throws {
        let (one, two) = (try StateMachine(Pot.self), try StateMachine(Pot.self))
        #expect(try one.send(.pour(litres: 2)) == two.send(.pour(litres: 2)))
        #expect(one.advance(by: .seconds(10)) == two.advance(by: .seconds(10)))
        let other = try StateMachine(Pot.self)
        #expect(try other.send(.pour(litres: 1)) != one.send(.lift))
    }

    /// A refusal names the line of Swift, never a line of the generated text.
    @Test func refusalsNameTheLineOfSwift() throws {
        let machine = try StateMachine(Pot.self, named: "pot")
        let refusal = #expect(throws: Refusal<Pot>.self) { try machine.send(.pour(litres: 0)) }
        let file = "StateMachinesTests/TransitionTests.swift"
        #expect(
            refusal?.description
                == "pot, in state 'empty' (seq 1): 'pour' was rejected: guard 'event.data.litres > 0' at "
                + "\(file):\(Pot.line + 3) is false (event.data.litres = 0)")
        let undone = #expect(throws: Refusal<Pot>.self) { try machine.send(.spill) }
        #expect(
            undone?.description
                == "'spill' was undone: 'assign litres: 1 / context.litres' of state 'empty', "
                + "\(file):\(Pot.line + 4), failed: division by zero")
    }

    @Test func failuresNameTheLineOfSwift() async throws {
        let place = ", StateMachinesTests/TransitionTests.swift:\(Pot.line + 9), failed: division by zero"
        let machine = try StateMachine(Pot.self)
        try machine.send(.pour(litres: 2))
        let moves = machine.advance(by: .seconds(60))
        #expect(moves.last?.failure?.hasSuffix(place) == true)
        #expect(machine.value.failure == moves.last?.failure)
        let host = MemoryHost()
        _ = try await host.start(Pot.self, "pot")
        let pot = try await host.instance(Pot.self, "pot")
        try await pot.send(.pour(litres: 2))
        await host.advance(by: .seconds(60))
        #expect(try await pot.read().failure?.hasSuffix(place) == true)
    }

    @Test func aHostTellsTheEvent() async throws {
        let pot = try await MemoryHost().start(Pot.self, "pot")
        let move = try await pot.send(.pour(litres: 2))
        #expect(move.sent == .pour(litres: 2))
        for try await row in pot.transitions(after: 1) {
            #expect(row == move)
            #expect((row.eventName, row.data, row.sent) == (.pour, ["litres": 2], nil))
            break
        }
    }
}

private enum Plain: MachineDefinition {
    enum State: String, MachineState { case a, b }
    enum Event: String, MachineEvent { case go }
    static let definition = Definition<Self>("plain", initial: .a) {
        Path(from: .a, to: .b, by: .go)
        In(.b) { After(.seconds(1), to: .a) }
    }
}

private enum Pot: MachineDefinition {
    enum State: String, MachineState { case empty, full, cold = "full.cold", hot = "full.hot" }
    enum Event: EventValue, Encodable, Equatable {
        case pour(litres: Int), lift, beep, spill

        enum Name: String, MachineEvent { case pour, lift, beep, spill }
    }
    struct Context: Codable, Sendable, Equatable { var litres = 0 }

    static let line = #line
    static let definition = Definition<Self>("pot", initial: .empty, context: Context()) {
        In(.empty) {
            On(.pour, to: .full, if: "event.data.litres > 0", .assign(["litres": "event.data.litres"]))
            On(.spill, .assign(["litres": "1 / context.litres"]))
        }
        In(.full, initial: .cold) { On(.beep) }
        In(.cold) { After(.seconds(10), to: .hot) }
        In(.hot) {
            After(.seconds(20), .assign(["litres": "1 / (context.litres - 2)"]))
            On(.lift, .send(Event.Name.beep))
        }
    }
}
