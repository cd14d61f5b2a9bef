// A closure that decides: a daemon could not run it.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close, open }

    struct Context: Codable, Sendable { var count = 0 }

    static let definition = Definition<Self>("door", initial: .open, context: Context()) {
        In(.open) {
            // error: closure passed to parameter of type 'Expression' that does not accept a closure
            On(.close, to: .closed, if: { (context: Context) in context.count > 0 })
        }
    }
}

extension Door {
    // error: closure passed to parameter of type 'Expression' that does not accept a closure
    static let path = Path(from: .open, to: .closed, by: .close, if: { true })
    // error: closure passed to parameter of type 'Expression' that does not accept a closure
    static let on = On(.close, if: { $0.count > 0 })
    // error: closure passed to parameter of type 'Expression' that does not accept a closure
    static let after = After(.seconds(1), to: .open, if: { true })
    // error: closure passed to parameter of type 'Expression' that does not accept a closure
    static let always = Always(to: .open, if: { true })
    // error: closure passed to parameter of type 'Expression' that does not accept a closure
    static let onDone = OnDone(to: .open, if: { true })
    // error: closure passed to parameter of type 'MachineAction<Door>' that does not accept a closure
    static let action = On(.close, to: .closed, { print("closed") })
}
