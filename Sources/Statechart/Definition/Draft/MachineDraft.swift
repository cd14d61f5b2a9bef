import WorkflowCEL
import WorkflowJSON

/// A machine as its definition tells it: read, but targets are still words, and named actions still names.
struct MachineDraft {
    let semantics: Semantics
    var name = ""
    var isStrict = true
    var description: String?
    var context = JSONObject()
    /// Keys that the context lacks at first, and a `foreach` makes; under `strict: false` only.
    var madeKeys: [String] = []
    /// In document order; the first is the root.
    var states: [StateDraft] = []
    var namedGuards: [NamedGuard] = []
    var namedActions: [NamedActions] = []
    /// The types of context keys: declared, or, in a strict machine, those of the initial values.
    var contextTypes: [String: CELType] = [:]
    /// The declared types of events' data.
    var eventData: [String: CELType] = [:]
    /// False where the definition has a `context` that cannot be read.
    var isContextKnown = true
    /// Whether every target was read and found; checks that follow transitions make no sense otherwise.
    var isResolved = true

    init(semantics: Semantics) { self.semantics = semantics }

    subscript(index: StateIndex) -> StateDraft { states[index.offset] }

    /// Whether one state lies below another.
    func isAncestor(_ ancestor: StateIndex, of state: StateIndex) -> Bool {
        ancestor < state && state <= self[ancestor].lastDescendant
    }

    /// How a message names a state.
    func name(of index: StateIndex) -> String {
        self[index].nameInMessages
    }
}
