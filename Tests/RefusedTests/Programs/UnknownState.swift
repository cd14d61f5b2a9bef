// A state or an event that is misspelled, wherever one is named.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case home, away }
    enum Event: String, MachineEvent { case go }

    // error: type 'Door.State' has no member 'hmoe'
    static let definition = Definition<Self>("door", initial: .hmoe) {
        // error: type 'Door.State' has no member 'hmoe'
        Path(from: .away, to: .hmoe, by: .go)
    }
}

enum Gate: MachineDefinition {
    enum State: String, MachineState { case home, away }
    enum Event: String, MachineEvent { case go }

    static let definition = Definition<Self>("gate", initial: .home) {
        Table { state, event in
            switch (state, event) {
            // error: type 'Gate.State' has no member 'hmoe'
            case (.home, .go): .to(.hmoe)
            case (.away, .go): nil
            }
        }
    }
}

extension Gate {
    // error: type 'Gate.State' has no member 'hmoe'
    static let state = In(.hmoe) { On(.go) }
    // error: type 'Gate.State' has no member 'hmoe'
    static let initial = In(.home, initial: .hmoe)
    // error: type 'Gate.State' has no member 'hmoe'
    static let on = On(.go, to: .hmoe)
    // error: type 'Gate.State' has no member 'hmoe'
    static let after = After(.seconds(1), to: .hmoe)
    // error: type 'Gate.State' has no member 'hmoe'
    static let always = Always(to: .hmoe)
    // error: type 'Gate.State' has no member 'hmoe'
    static let onDone = OnDone(to: .hmoe)
    // error: type 'Gate.Event' has no member 'goo'
    static let event = On(.goo, to: .away)
    // error: type 'Gate.Event' has no member 'goo'
    static let action = On(.go, .raise(.goo))
}

func isHome(_ machine: StateMachine<Gate>) throws -> Bool {
    // error: type 'Gate.Event' has no member 'goo'
    try machine.send(.goo)
    // error: type 'Gate.State' has no member 'hmoe'
    return machine.isIn(.hmoe)
}
