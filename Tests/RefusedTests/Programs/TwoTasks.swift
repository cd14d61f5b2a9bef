// One machine in two tasks: it has one owner, and no lock.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close, open }

    static let definition = Definition<Self>("door", initial: .open) {
        Path(from: .open, to: .closed, by: .close)
    }
}

func byLet() async throws {
    let door = try StateMachine(Door.self)
    // error: sending 'door' risks causing data races [#SendingRisksDataRace]
    async let first = door.attempt(.close)
    async let second = door.attempt(.open)
    _ = await (first, second)
}

func byTask() throws {
    let door = try StateMachine(Door.self)
    // error: sending value of non-Sendable type '() async -> ()' risks causing data races [#SendingRisksDataRace]
    Task { _ = door.attempt(.close) }
    _ = door.attempt(.open)
}
