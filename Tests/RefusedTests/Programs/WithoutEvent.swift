// A machine without the names of its events takes none.
import StateMachines

enum Light: MachineDefinition {
    enum State: String, MachineState { case red, green }

    static let definition = Definition<Self>("light", initial: .red) {
        // error: type 'NoEvent' has no member 'go'
        Path(from: .red, to: .green, by: .go)
    }
}
