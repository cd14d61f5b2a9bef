// States in states, and transitions beside them.
import StateMachines

enum Door: MachineDefinition {
    enum State: String, MachineState { case open, closed, locked = "closed.locked" }
    enum Event: String, MachineEvent { case close, lock }

    static let definition = Definition<Self>("door", initial: .open) {
        Path(from: .open, to: .closed, by: .close)
        In(.closed) {
            // error: 'buildExpression' is unavailable: a state stands in no other: dots in the names make the tree
            In(.locked) {}
        }
    }

    @TransitionBuilder<Self> static var path: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: a path stands beside the states, not in one
        Path(from: .closed, to: .locked, by: .lock)
    }

    @TransitionBuilder<Self> static var table: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: a table stands beside the states, not in one
        Table { _, _ in nil }
    }

    @DefinitionBuilder<Self> static var on: [Piece<Self>] {
        // error: 'buildExpression' is unavailable: a transition stands in a state, as in 'In(.here) { On(.event) }'
        On(.close, to: .closed)
    }

    @DefinitionBuilder<Self> static var after: [Piece<Self>] {
        // error: 'buildExpression' is unavailable: a transition stands in a state, as in 'In(.here) { On(.event) }'
        After(.seconds(1), to: .closed)
    }

    @DefinitionBuilder<Self> static var always: [Piece<Self>] {
        // error: 'buildExpression' is unavailable: a transition stands in a state, as in 'In(.here) { On(.event) }'
        Always(to: .closed)
    }

    @DefinitionBuilder<Self> static var onDone: [Piece<Self>] {
        // error: 'buildExpression' is unavailable: a transition stands in a state, as in 'In(.here) { On(.event) }'
        OnDone(to: .closed)
    }

    @DefinitionBuilder<Self> static var invoke: [Piece<Self>] {
        // error: 'buildExpression' is unavailable: an invocation stands in a state: 'In(.here) { Invoke(…) }'
        Invoke(task: "locksmith")
    }

    @TransitionBuilder<Self> static var onError: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: it stands in an invocation: 'Invoke(…) { OnError(…) }'
        OnError(to: .closed)
    }

    @InvocationBuilder<Self> static var ends: [TransitionPiece<Self>] {
        OnDone(to: .closed)
        // error: 'buildExpression' is unavailable: it stands in the state, beside the invocation
        On(.close, to: .closed)
    }

    @InvocationBuilder<Self> static var timeout: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: it stands in the state; an invocation has 'timeout:'
        After(.seconds(1), to: .closed)
    }

    @InvocationBuilder<Self> static var guarded: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: it stands in the state, beside the invocation
        Always(to: .closed)
    }

    @InvocationBuilder<Self> static var second: [TransitionPiece<Self>] {
        // error: 'buildExpression' is unavailable: an invocation stands in a state, beside others
        Invoke(task: "locksmith")
    }
}
