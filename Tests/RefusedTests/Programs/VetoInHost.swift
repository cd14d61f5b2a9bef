// 'shouldTransition' where other programs would have to ask it too.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close }

    static let definition = Definition<Self>("door", initial: .open) {
        Path(from: .open, to: .closed, by: .close)
    }
}

func mayClose(_ from: Door.State, _ to: Door.State) -> Bool { true }

func veto(_ memory: MemoryHost, _ host: any MachineHost, _ door: Instance<Door>) {
    // error: value of type 'MemoryHost' has no member 'shouldTransition'
    memory.shouldTransition = mayClose
    // error: value of type 'any MachineHost' has no member 'shouldTransition'
    host.shouldTransition = mayClose
    // error: value of type 'Instance<Door>' has no member 'shouldTransition'
    door.shouldTransition = mayClose
}
