/// A state as its definition tells it.
struct StateDraft {
    let index: StateIndex
    let parent: StateIndex?
    /// The key under `states`; for the root its id.
    let key: String
    let path: String
    let position: SourcePosition
    var kind = State.Kind.atomic
    var id: SourceWord?
    /// All children, history states among them, in document order.
    var children: [StateIndex] = []
    var lastDescendant: StateIndex
    /// Of a compound state its `initial`, of a history state its `target`.
    var initial: InitialDraft?
    var entry: [ActionDraft] = []
    var exit: [ActionDraft] = []
    var timeouts: [TimeoutDraft] = []
    var invocations: [InvocationDraft] = []
    var output: TemplateDraft?
    /// What `hasTag` finds while the state is active, in the order of the text.
    var tags: [String] = []
    /// In the order of the text.
    var transitions: [TransitionDraft] = []

    init(index: StateIndex, parent: StateIndex?, key: String, path: String, position: SourcePosition) {
        self.index = index
        self.parent = parent
        self.key = key
        self.path = path
        self.position = position
        lastDescendant = index
    }

    /// How a message names the state.
    var nameInMessages: String { parent == nil ? "the machine" : "state \(path.quoted)" }

    /// Whether this is a history state, which is never active.
    var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// The path of a child with this key, or of a descendant with this dotted one.
    func path(ofChild key: some StringProtocol) -> String {
        parent == nil ? String(key) : "\(path).\(key)"
    }
}
