import WorkflowJSON

/// An action as written in its definition.
indirect enum ActionDraft {
    case assign([AssignmentDraft], SourcePosition)
    case raise(event: String, data: TemplateDraft?, SourcePosition)
    case send(SendDraft)
    case emit(event: String, data: TemplateDraft?, SourcePosition)
    case cancel(id: String, SourcePosition)
    case log(ExpressionDraft)
    case choose([BranchDraft], SourcePosition)
    case foreach(LoopDraft)
    case call(CallDraft)
    /// The name of an entry in `actions`.
    case named(SourceWord)
}

/// The text of an expression and its position.
struct ExpressionDraft {
    let text: String
    let position: SourcePosition
    /// The start of the text itself: after the quotes, if there are any.
    let start: SourcePosition

    init(text: String, position: SourcePosition, isPlain: Bool) {
        self.text = text
        self.position = position
        start = isPlain ? position : SourcePosition(line: position.line, column: position.column + 1)
    }

    /// Creates an expression inside a longer text, `offset` Unicode scalars after the beginning of that text.
    init(text: String, in outer: SourcePosition, offset: Int) {
        self.text = text
        position = SourcePosition(line: outer.line, column: outer.column + offset)
        start = position
    }
}

/// A value that may contain expressions, as written in its definition.
indirect enum TemplateDraft {
    case literal(JSONValue)
    case expression(ExpressionDraft)
    case list([TemplateDraft])
    /// The members of a map, sorted by the bytes of their keys.
    case map([(key: String, value: TemplateDraft)])
}

/// One entry of an `assign`.
struct AssignmentDraft {
    /// One step of a path.
    enum Step {
        case key(String)
        case computed(ExpressionDraft)
    }

    let key: SourceWord
    let path: [Step]
    let value: TemplateDraft
}

/// A `send`.
struct SendDraft {
    let event: String
    var data: TemplateDraft?
    var delay: DelayDraft?
    var id: String?
    var misfire = Misfire.fire
    let position: SourcePosition
}

/// A delay: its length, or the expression that computes the length.
enum DelayDraft {
    case milliseconds(Int64)
    case expression(ExpressionDraft)
}

/// One entry of a `choose`.
struct BranchDraft {
    var condition: ExpressionDraft?
    var actions: [ActionDraft] = []
}

/// A `foreach`.
struct LoopDraft {
    let array: ExpressionDraft
    let item: String
    let index: String?
    let actions: [ActionDraft]
    let position: SourcePosition
}

/// An entry of `actions` at the root.
struct NamedActions {
    let name: SourceWord
    let actions: [ActionDraft]
}

/// An entry of `guards` at the root.
struct NamedGuard {
    let name: SourceWord
    let condition: ExpressionDraft
}
