// Unavailable initializers for closures as guards: the compiler says how to write a guard. A closure could not run in a
// daemon, and a history could not replay it.

extension PathPiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        from state: M.StateName, to target: M.StateName, by event: M.EventName, if condition: () -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        from state: M.StateName, to target: M.StateName, by event: M.EventName, if condition: (M.Context) -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}

extension EventPiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        _ event: M.EventName, to target: M.StateName? = nil, if condition: () -> Bool, reenter: Bool = false,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        _ event: M.EventName, to target: M.StateName? = nil, if condition: (M.Context) -> Bool, reenter: Bool = false,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}

extension TimePiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        _ delay: Duration, to target: M.StateName? = nil, if condition: () -> Bool, reenter: Bool = false,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        _ delay: Duration, to target: M.StateName? = nil, if condition: (M.Context) -> Bool, reenter: Bool = false,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}

extension AlwaysPiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: () -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: (M.Context) -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}

extension DonePiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: () -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: (M.Context) -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}

extension ErrorPiece {
    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: () -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "a guard is CEL: if: \"context.count > 0\"")
    public init(
        to target: M.StateName? = nil, if condition: (M.Context) -> Bool,
        _ actions: MachineAction<M>...
    ) {
        preconditionFailure("unavailable")
    }
}
