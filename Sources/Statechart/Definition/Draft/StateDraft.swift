/// A state as written in its definition.
struct StateDraft {
    let index: StateIndex
    let parent: StateIndex?
    /// The key under `states`; for the root, the machine's id.
    let key: String
    let path: String
    let position: SourcePosition
    var kind = State.Kind.atomic
    var id: SourceWord?
    /// All children in document order, including history states.
    var children: [StateIndex] = []
    var lastDescendant: StateIndex
    /// The `initial` of a compound state, or the `target` of a history state.
    var initial: InitialDraft?
    var entry: [ActionDraft] = []
    var exit: [ActionDraft] = []
    var timeouts: [TimeoutDraft] = []
    var invocations: [InvocationDraft] = []
    var output: TemplateDraft?
    /// The tags that `hasTag` finds while the state is active, in the order of the text.
    var tags: [String] = []
    /// The transitions in the order of the text.
    var transitions: [TransitionDraft] = []

    init(index: StateIndex, parent: StateIndex?, key: String, path: String, position: SourcePosition) {
        self.index = index
        self.parent = parent
        self.key = key
        self.path = path
        self.position = position
        lastDescendant = index
    }

    /// The name of the state in messages.
    var nameInMessages: String { parent == nil ? "the machine" : "state \(path.quoted)" }

    /// True if this is a history state, which is never active.
    var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// Returns the path of the child with a key, or of the descendant with a dotted key.
    func path(ofChild key: some StringProtocol) -> String {
        parent == nil ? String(key) : "\(path).\(key)"
    }
}
