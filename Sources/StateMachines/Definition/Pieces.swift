/// A route: `Path(from: .login, to: .home, by: .loggedIn)`.
public struct PathPiece<M: MachineDefinition>: Sendable {
    let contents: [PieceContent]

    public init(
        from state: M.StateName, to target: M.StateName, by event: M.EventName, if condition: Expression? = nil,
        _ actions: MachineAction<M>..., fileID: StaticString = #fileID, line: Int = #line
    ) {
        self.init([state], target, event, condition, actions, SwiftPlace(fileID, line))
    }

    /// Creates the same route from several states: `Path(from: [.login, .home], to: .greeting, by: .logout)`.
    public init(
        from states: [M.StateName], to target: M.StateName, by event: M.EventName, if condition: Expression? = nil,
        _ actions: MachineAction<M>..., fileID: StaticString = #fileID, line: Int = #line
    ) {
        self.init(states, target, event, condition, actions, SwiftPlace(fileID, line))
    }

    private init(
        _ states: [M.StateName], _ target: M.StateName, _ event: M.EventName, _ condition: Expression?,
        _ actions: [MachineAction<M>], _ place: SwiftPlace
    ) {
        let transition = TransitionContent(
            trigger: .event(event.rawValue), target: target.rawValue, condition: condition,
            actions: actions.map(\.content), place: place)
        contents = states.map { PieceContent(state: $0.rawValue, parts: [.transition(transition)], place: place) }
    }
}

/// A state: `In(.standby) { On(.fire, to: .countdown) }`. Without a name it is the root, whose transitions apply in
/// every state.
public struct StatePiece<M: MachineDefinition>: Sendable {
    let content: PieceContent

    /// Creates a state with `initial`. A state with child states enters `initial` with itself. A history state leads to
    /// `initial` while there is no history.
    public init(
        _ state: M.StateName, _ kind: StateKind = .normal, initial: M.StateName, tags: [String] = [],
        entry: [MachineAction<M>] = [], exit: [MachineAction<M>] = [], fileID: StaticString = #fileID,
        line: Int = #line,
        @TransitionBuilder<M> _ transitions: () -> [TransitionPiece<M>] = { [] }
    ) {
        content = PieceContent(
            state: state.rawValue, kind: kind, initial: initial.rawValue, tags: tags, entry: entry.map(\.content),
            exit: exit.map(\.content),
            parts: transitions().map(\.content), place: SwiftPlace(fileID, line))
    }

    // An optional `initial` in one initializer would be wrong: `.none` would mean `nil`, even if a state has this name.

    /// Creates a state. A final state may have an `output`, which is `event.data` in its parent's `OnDone`.
    public init(
        _ state: M.StateName, _ kind: StateKind = .normal, tags: [String] = [], entry: [MachineAction<M>] = [],
        exit: [MachineAction<M>] = [], output: Template? = nil, fileID: StaticString = #fileID, line: Int = #line,
        @TransitionBuilder<M> _ transitions: () -> [TransitionPiece<M>] = { [] }
    ) {
        content = PieceContent(
            state: state.rawValue, kind: kind, tags: tags, entry: entry.map(\.content), exit: exit.map(\.content),
            output: output,
            parts: transitions().map(\.content), place: SwiftPlace(fileID, line))
    }

    /// Describes the root. Its transitions apply in every state.
    public init(
        tags: [String] = [], entry: [MachineAction<M>] = [], exit: [MachineAction<M>] = [],
        fileID: StaticString = #fileID, line: Int = #line,
        @TransitionBuilder<M> _ transitions: () -> [TransitionPiece<M>]
    ) {
        content = PieceContent(
            tags: tags, entry: entry.map(\.content), exit: exit.map(\.content),
            parts: transitions().map(\.content),
            place: SwiftPlace(fileID, line))
    }
}

/// A transition by an event: `On(.pay, to: .packing, if: "event.data.amount > 0", .assign(["isPaid": true]))`.
public struct EventPiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    public init(
        _ event: M.EventName, to target: M.StateName, if condition: Expression? = nil, reenter: Bool = false,
        _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(
            .event(event.rawValue), target.rawValue, condition, reenter: reenter, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition without a target: the instance stays in its states.
    public init(
        _ event: M.EventName, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.event(event.rawValue), nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// A transition by time: `After(.seconds(1), to: .launched)`. Its timer runs while the state is active.
public struct TimePiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    /// Creates a transition with a target. The delay is rounded to whole milliseconds.
    public init(
        _ delay: Duration, to target: M.StateName, if condition: Expression? = nil, reenter: Bool = false,
        _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(
            .delay(delay.definitionText), target.rawValue, condition, reenter: reenter, actions,
            SwiftPlace(fileID, line))
    }

    /// Creates a transition without a target: the instance stays in its states.
    public init(
        _ delay: Duration, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.delay(delay.definitionText), nil, condition, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition whose delay is computed when the state is entered:
    /// `After("duration(context.wait)", to: .late)`.
    public init(
        _ delay: Expression, to target: M.StateName, if condition: Expression? = nil, reenter: Bool = false,
        _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(
            .delay(delay.text), target.rawValue, condition, reenter: reenter, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition with a computed delay and without a target: the instance stays in its states.
    public init(
        _ delay: Expression, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.delay(delay.text), nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// A transition that is taken as soon as its guard holds: `Always(to: .approved, if: "context.approvals >= 2")`.
public struct AlwaysPiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    public init(
        to target: M.StateName, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(
            .always, target.rawValue, condition, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition without a target: the instance stays in its states.
    public init(
        if condition: Expression? = nil, _ actions: MachineAction<M>..., fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.always, nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// A transition that is taken when all states inside the state are done: `OnDone(to: .awaitingPayment)`. In an `Invoke`
/// it is taken when the worker has a result, which is `event.data`.
public struct DonePiece<M: MachineDefinition>: Sendable {
    let transition: TransitionPiece<M>

    public init(
        to target: M.StateName, if condition: Expression? = nil, _ actions: MachineAction<M>...,
        fileID: StaticString = #fileID, line: Int = #line
    ) {
        transition = TransitionPiece(
            .done, target.rawValue, condition, actions, SwiftPlace(fileID, line))
    }

    /// Creates a transition without a target: the instance stays in its states.
    public init(
        if condition: Expression? = nil, _ actions: MachineAction<M>..., fileID: StaticString = #fileID,
        line: Int = #line
    ) {
        transition = TransitionPiece(.done, nil, condition, actions, SwiftPlace(fileID, line))
    }
}

/// A Swift `switch` over state and event as a table.
///
/// The `switch` runs once for each pair, before the machine exists, and its results are stored as routes. So the
/// compiler checks that the table is exhaustive, and a daemon can run it.
public struct TablePiece<M: MachineDefinition>: Sendable {
    /// The result of a pair; `nil` in the `switch` if the event is refused.
    public struct Row: Sendable {
        let target: String?
        let actions: [ActionContent]

        /// Goes to a state. If the target is the current state, that state is left and entered again.
        public static func to(_ target: M.StateName, _ actions: MachineAction<M>...) -> Row {
            Row(target: target.rawValue, actions: actions.map(\.content))
        }

        /// Runs the actions, and stays in the current state.
        public static func stay(_ actions: MachineAction<M>...) -> Row {
            Row(target: nil, actions: actions.map(\.content))
        }
    }

    let content: PieceContent

    public init(
        fileID: StaticString = #fileID, line: Int = #line,
        @RowBuilder<M> _ next: (M.StateName, M.EventName) -> Row?
    ) {
        let place = SwiftPlace(fileID, line)
        var content = PieceContent(place: place)
        for state in M.StateName.allCases {
            for event in M.EventName.allCases {
                guard let row = next(state, event) else { continue }
                let transition = TransitionContent(
                    trigger: .event(event.rawValue), target: row.target, reenter: row.target == state.rawValue,
                    actions: row.actions, place: place)
                content.table.append((state.rawValue, transition))
            }
        }
        self.content = content
    }
}

extension Duration {
    /// The duration, rounded to whole milliseconds.
    var wholeMilliseconds: Int64 {
        // `components` traps beyond 64 bits of seconds.
        guard self < .seconds(Int64.max / 1_000) else { return .max }
        guard self > .seconds(Int64.min / 1_000) else { return .min }
        let (seconds, attoseconds) = components
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return seconds * 1_000 + milliseconds + rest / 500_000_000_000_000
    }

    /// The duration in the format of a definition: a whole number of the largest possible unit.
    var definitionText: String {
        let milliseconds = wholeMilliseconds
        // No positive delay is rounded to zero. The reader refuses a negative delay.
        guard milliseconds != 0 || self == .zero else { return self > .zero ? "1ms" : "\(self)" }
        for (unit, length) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)] as [(String, Int64)]
        where milliseconds != 0 && milliseconds % length == 0 {
            return "\(milliseconds / length)\(unit)"
        }
        return "\(milliseconds)ms"
    }
}
