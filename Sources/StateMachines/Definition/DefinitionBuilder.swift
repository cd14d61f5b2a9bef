/// Builds the content of a definition: paths, states and tables.
@resultBuilder public enum DefinitionBuilder<M: MachineDefinition> {
    public static func buildExpression(_ piece: PathPiece<M>) -> [Piece<M>] { piece.contents.map { Piece($0) } }
    public static func buildExpression(_ piece: StatePiece<M>) -> [Piece<M>] { [Piece(piece.content)] }
    public static func buildExpression(_ piece: TablePiece<M>) -> [Piece<M>] { [Piece(piece.content)] }
    public static func buildBlock(_ pieces: [Piece<M>]...) -> [Piece<M>] { pieces.flatMap { $0 } }
    public static func buildArray(_ pieces: [[Piece<M>]]) -> [Piece<M>] { pieces.flatMap { $0 } }
    public static func buildOptional(_ pieces: [Piece<M>]?) -> [Piece<M>] { pieces ?? [] }
    public static func buildEither(first pieces: [Piece<M>]) -> [Piece<M>] { pieces }
    public static func buildEither(second pieces: [Piece<M>]) -> [Piece<M>] { pieces }
}

/// Builds the content of a state: its transitions and invocations.
@resultBuilder public enum TransitionBuilder<M: MachineDefinition> {
    public static func buildExpression(_ piece: EventPiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildExpression(_ piece: TimePiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildExpression(_ piece: AlwaysPiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildExpression(_ piece: DonePiece<M>) -> [TransitionPiece<M>] { [piece.transition] }
    public static func buildExpression(_ piece: InvocationPiece<M>) -> [TransitionPiece<M>] { [piece.part] }
    public static func buildBlock(_ pieces: [TransitionPiece<M>]...) -> [TransitionPiece<M>] {
        pieces.flatMap { $0 }
    }
    public static func buildArray(_ pieces: [[TransitionPiece<M>]]) -> [TransitionPiece<M>] { pieces.flatMap { $0 } }
    public static func buildOptional(_ pieces: [TransitionPiece<M>]?) -> [TransitionPiece<M>] { pieces ?? [] }
    public static func buildEither(first pieces: [TransitionPiece<M>]) -> [TransitionPiece<M>] { pieces }
    public static func buildEither(second pieces: [TransitionPiece<M>]) -> [TransitionPiece<M>] { pieces }
}

/// Builds the rows of a table. The compiler checks a `switch` case by case, so its message names the mistake.
@resultBuilder public enum RowBuilder<M: MachineDefinition> {
    public static func buildExpression(_ row: TablePiece<M>.Row?) -> TablePiece<M>.Row? { row }
    public static func buildBlock(_ row: TablePiece<M>.Row?) -> TablePiece<M>.Row? { row }
    public static func buildEither(first row: TablePiece<M>.Row?) -> TablePiece<M>.Row? { row }
    public static func buildEither(second row: TablePiece<M>.Row?) -> TablePiece<M>.Row? { row }
}

/// A part of a definition. `Path`, `In` and `Table` create parts.
public struct Piece<M: MachineDefinition>: Sendable {
    let content: PieceContent

    init(_ content: PieceContent) {
        self.content = content
    }
}

/// A transition of a state, or an invocation. `On`, `After`, `Always`, `OnDone` and `Invoke` create these parts.
public struct TransitionPiece<M: MachineDefinition>: Sendable {
    let content: StatePart

    init(content: StatePart) {
        self.content = content
    }

    init(
        _ trigger: TransitionContent.Trigger, _ target: String?, _ condition: Expression?, reenter: Bool = false,
        _ actions: [MachineAction<M>], _ place: SwiftPlace
    ) {
        content = .transition(
            TransitionContent(
                trigger: trigger, target: target, condition: condition, reenter: reenter,
                actions: actions.map(\.content), place: place))
    }
}

/// A piece's description of a state. Several pieces may describe the same state.
struct PieceContent: Sendable {
    /// The state's path; `nil` for the root.
    var state: String?
    var kind = StateKind.normal
    var initial: String?
    var tags: [String] = []
    var entry: [ActionContent] = []
    var exit: [ActionContent] = []
    var output: Template?
    var parts: [StatePart] = []
    /// The rows of a table. A table has no state of its own.
    var table: [(state: String, transition: TransitionContent)] = []
    let place: SwiftPlace
}

/// A part of a state: a transition or an invocation.
enum StatePart: Sendable {
    case transition(TransitionContent)
    case invocation(InvocationContent)

    var transition: TransitionContent? {
        if case .transition(let transition) = self { transition } else { nil }
    }

    var invocation: InvocationContent? {
        if case .invocation(let invocation) = self { invocation } else { nil }
    }
}

/// The texts of a transition's parts.
struct TransitionContent: Sendable {
    enum Trigger: Sendable, Equatable {
        case event(String)
        /// A delay, as the key of `after`.
        case delay(String)
        case always
        /// The end of the states inside a state, or of an invocation.
        case done
        /// The failure of an invocation.
        case failed
    }

    let trigger: Trigger
    let target: String?
    var condition: Expression?
    var reenter = false
    var actions: [ActionContent] = []
    let place: SwiftPlace
}

/// The kind of a state.
public enum StateKind: String, Sendable, Hashable {
    case normal, parallel, final, history, deepHistory
}
