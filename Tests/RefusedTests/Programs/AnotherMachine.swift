// States and events of another machine.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close, open }

    static let definition = Definition<Self>("door", initial: .open) {
        Path(from: .open, to: .closed, by: .close)
        Path(from: .closed, to: .open, by: .open)
    }
}

enum Window: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close }

    static let definition = Definition<Self>("window", initial: .open) {
        // error: cannot convert value of type 'Door.State' to expected argument type 'Window.State'
        Path(from: .open, to: Door.State.closed, by: .close)
    }
}

extension Window {
    // error: cannot convert value of type 'Door.State' to expected argument type 'Window.State'
    static let state = In(Door.State.closed) { On(.close) }
    // error: cannot convert value of type 'Door.State' to expected argument type 'Window.State'
    static let target = On(.close, to: Door.State.closed)
    // error: cannot convert value of type 'Door.Event' to expected argument type 'Window.Event'
    static let event = On(Door.Event.open, to: .open)
    // error: cannot convert value of type 'Door.Event' to expected argument type 'Window.Event'
    static let action = On(.close, .raise(Door.Event.open))
}

func close(_ window: StateMachine<Window>, _ stored: Instance<Window>) async throws {
    // error: cannot convert value of type 'Door.Event' to expected argument type 'Window.Event'
    try window.send(Door.Event.close)
    // error: cannot convert value of type 'Door.Event' to expected argument type 'Window.Event'
    try await stored.send(Door.Event.close)
    // error: cannot convert value of type 'Door.State' to expected argument type 'Window.State'
    _ = window.isIn(Door.State.open)
}
