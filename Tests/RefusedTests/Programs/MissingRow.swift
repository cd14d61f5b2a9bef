// A table that forgets a state.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed, locked }
    enum Event: String, MachineEvent { case close, lock }

    static let definition = Definition<Self>("door", initial: .open) {
        Table { state, event in
            // error: switch must be exhaustive
            // note: add missing case: '(.locked, _)'
            switch (state, event) {
            case (.open, .close): .to(.closed)
            case (.closed, .lock): .to(.locked)
            case (.open, .lock), (.closed, .close): nil
            }
        }
    }
}
