import WorkflowCEL
import WorkflowJSON

/// A machine as written in its definition. Targets are still words, and named actions are still names.
struct MachineDraft {
    let semantics: Semantics
    var name = ""
    var isStrict = true
    var description: String?
    var context = JSONObject()
    /// The keys that the context lacks at first and a `foreach` creates; only with `strict: false`.
    var madeKeys: [String] = []
    /// The states in document order; the first is the root.
    var states: [StateDraft] = []
    var namedGuards: [NamedGuard] = []
    var namedActions: [NamedActions] = []
    /// The types of context keys: the declared types or, in a strict machine, the types of the initial values.
    var contextTypes: [String: CELType] = [:]
    /// The declared types of event data.
    var eventData: [String: CELType] = [:]
    /// True if an action emits events.
    var emits = false
    /// False if the definition has a `context` that cannot be read.
    var isContextKnown = true
    /// True if every target was read and found; checks that follow transitions need all targets.
    var isResolved = true

    init(semantics: Semantics) { self.semantics = semantics }

    subscript(index: StateIndex) -> StateDraft { states[index.offset] }

    /// Returns true if the second state lies below the first.
    func isAncestor(_ ancestor: StateIndex, of state: StateIndex) -> Bool {
        ancestor < state && state <= self[ancestor].lastDescendant
    }

    /// Returns the name of a state in messages.
    func name(of index: StateIndex) -> String {
        self[index].nameInMessages
    }
}
