// A closure that decides: a daemon could not run it.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed }
    enum Event: String, MachineEvent { case close, open }

    struct Context: Codable, Sendable { var count = 0 }

    static let definition = Definition<Self>("door", initial: .open, context: Context()) {
        In(.open) {
            // error: 'init(_:to:if:reenter:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
            On(.close, to: .closed, if: { (context: Context) in context.count > 0 })
        }
    }
}

extension Door {
    // error: 'init(from:to:by:if:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
    static let path = Path(from: .open, to: .closed, by: .close, if: { true })
    // error: 'init(_:to:if:reenter:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
    static let on = On(.close, if: { $0.count > 0 })
    // error: 'init(_:to:if:reenter:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
    static let after = After(.seconds(1), to: .open, if: { true })
    // error: 'init(to:if:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
    static let always = Always(to: .open, if: { true })
    // error: 'init(to:if:_:)' is unavailable: a guard is CEL: if: "context.count > 0"
    static let onDone = OnDone(to: .open, if: { true })
    // error: closure passed to parameter of type 'MachineAction<Door>' that does not accept a closure
    static let action = On(.close, to: .closed, { print("closed") })
}
