// Unavailable overloads for misplaced pieces: the compiler says where a piece belongs, instead of listing candidates.

extension DefinitionBuilder {
    @available(*, unavailable, message: "a transition stands in a state, as in 'In(.here) { On(.event) }'")
    public static func buildExpression(_ piece: EventPiece<M>) -> [Piece<M>] { [] }

    @available(*, unavailable, message: "a transition stands in a state, as in 'In(.here) { On(.event) }'")
    public static func buildExpression(_ piece: TimePiece<M>) -> [Piece<M>] { [] }

    @available(*, unavailable, message: "a transition stands in a state, as in 'In(.here) { On(.event) }'")
    public static func buildExpression(_ piece: AlwaysPiece<M>) -> [Piece<M>] { [] }

    @available(*, unavailable, message: "a transition stands in a state, as in 'In(.here) { On(.event) }'")
    public static func buildExpression(_ piece: DonePiece<M>) -> [Piece<M>] { [] }

    @available(*, unavailable, message: "an invocation stands in a state: 'In(.here) { Invoke(…) }'")
    public static func buildExpression(_ piece: InvocationPiece<M>) -> [Piece<M>] { [] }
}

extension TransitionBuilder {
    @available(*, unavailable, message: "a path stands beside the states, not in one")
    public static func buildExpression(_ piece: PathPiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "a state stands in no other: dots in the names make the tree")
    public static func buildExpression(_ piece: StatePiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "a table stands beside the states, not in one")
    public static func buildExpression(_ piece: TablePiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "it stands in an invocation: 'Invoke(…) { OnError(…) }'")
    public static func buildExpression(_ piece: ErrorPiece<M>) -> [TransitionPiece<M>] { [] }
}

extension InvocationBuilder {
    @available(*, unavailable, message: "it stands in the state, beside the invocation")
    public static func buildExpression(_ piece: EventPiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "it stands in the state; an invocation has 'timeout:'")
    public static func buildExpression(_ piece: TimePiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "it stands in the state, beside the invocation")
    public static func buildExpression(_ piece: AlwaysPiece<M>) -> [TransitionPiece<M>] { [] }

    @available(*, unavailable, message: "an invocation stands in a state, beside others")
    public static func buildExpression(_ piece: InvocationPiece<M>) -> [TransitionPiece<M>] { [] }
}
