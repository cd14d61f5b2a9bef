import EngineFloor
import Seeds
import StateMachines

/// The calls of a game to a machine. Their floor is a step by hand: two dictionaries, of states and of their events.
enum LibraryLoops {
    /// A machine without guards, actions and timers.
    private enum Lamp: MachineDefinition {
        enum State: String, MachineState { case off, on }
        enum Event: String, MachineEvent { case flip, dim }

        static let definition = Definition<Self>("lamp", initial: .off) {
            Path(from: .off, to: .on, by: .flip)
            Path(from: .on, to: .off, by: .flip)
            In(.on) { On(.dim) }
        }
    }

    /// Returns the loops for events that move the machine.
    static func sent() throws -> Loops {
        try beside { count in
            let machine = try StateMachine(Lamp.self)
            for _ in 0..<count { try machine.send(.flip) }
            return Int(machine.value.seq) - 1
        }
    }

    /// Returns the loops for events that the machine refuses.
    static func refused() throws -> Loops {
        try beside { count in
            let machine = try StateMachine(Lamp.self)
            return (0..<count).count { _ in !machine.attempt(.dim) }
        }
    }

    /// Returns the loops for questions about an event.
    static func asked() throws -> Loops {
        try beside { count in
            let machine = try StateMachine(Lamp.self)
            return (0..<count).count { $0 & 1 == 0 ? machine.canSend(.flip) : !machine.canSend(.dim) }
        }
    }

    /// Returns the loops for frames in which no timer runs.
    static func idle() throws -> Loops {
        try beside { count in
            let machine = try StateMachine(Lamp.self)
            for _ in 0..<count { machine.update(deltaTime: .milliseconds(16)) }
            return count
        }
    }

    /// Returns the loops for events with data, and states with values of the context.
    static func withValues() throws -> Loops {
        try beside { count in
            let machine = try StateMachine(Request.self)
            let events: [Request.Event] = [.fetch, .succeed("Ada"), .reset]
            for number in 0..<count { try machine.send(events[number % 3]) }
            return count
        }
    }

    private static func beside(_ ours: @escaping @Sendable (Int) throws -> Int) throws -> Loops {
        Loops(ours: ours, floor: try StepLoops.flat().floor)
    }
}
