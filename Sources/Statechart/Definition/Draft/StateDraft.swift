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

/// Where a state begins: the target of `initial`, or the default of a history state.
struct InitialDraft {
    var targets: [TargetDraft]
    var actions: [ActionDraft] = []
    let position: SourcePosition
}

/// A target: the word of the definition, and the state once it is found.
struct TargetDraft {
    let word: SourceWord
    var state: StateIndex?
}

/// A transition as its definition tells it.
struct TransitionDraft {
    /// What enables a transition.
    enum Trigger: Hashable {
        case event(String)
        case always
        /// The state is done (`onDone`).
        case done
    }

    let trigger: Trigger
    let position: SourcePosition
    var targets: [TargetDraft] = []
    var reenters = false
    var actions: [ActionDraft] = []
    /// Whether it can say no, so that the next candidate is tried.
    var isGuarded = false
}

/// An action as its definition tells it.
enum ActionDraft {
    case written(Action)
    /// The name of an entry in `actions`.
    case named(SourceWord)
}
