/// Which keys may stand where.
enum DefinitionKeys {
    /// A place in a definition that has keys of its own.
    enum Place {
        case root, state, finalState, historyState, initial, transition, raise, action
    }

    /// The keys of a place that mean something now.
    static func known(in place: Place) -> [String] {
        switch place {
        case .root: ["id", "context", "strict", "actions"] + behaviour + notes
        case .state: ["id"] + behaviour + notes
        case .finalState: ["id", "type", "entry", "exit"] + notes
        case .historyState: ["id", "type", "history", "target"] + notes
        case .initial: ["target", "actions"]
        case .transition: ["target", "actions", "reenter"] + notes
        case .raise: ["event", "data"]
        case .action: ["assign", "raise"]
        }
    }

    /// What a key needs that this version does not have; nil for keys of other places and unknown ones.
    static func missingPart(for key: String, in place: Place) -> String? {
        let keys: [String] =
            switch place {
            case .root: ["guards", "events", "after", "invoke", "output"]
            case .state: ["after", "invoke"]
            case .finalState: ["output"]
            case .transition: ["guard"]
            case .action: ["send", "cancel", "emit", "log", "choose", "foreach"]
            case .historyState, .initial, .raise: []
            }
        return keys.contains(key) ? missingParts[key] : nil
    }

    /// Keys that the definition language has and this version does not, by the part that they wait for.
    private static let missingParts = [
        "guard": "the expression language",
        "guards": "the expression language",
        "output": "the expression language",
        "log": "the expression language",
        "choose": "the expression language",
        "foreach": "the expression language",
        "after": "timers",
        "invoke": "effects",
        "send": "messages",
        "cancel": "messages",
        "emit": "messages",
        "events": "data types of events",
    ]

    /// Where a key belongs that stands in the wrong place.
    static func home(of key: String) -> String? {
        switch key {
        case "context", "strict", "actions", "guards", "events": "at the root"
        case "history": "in a history state"
        case "target": "in a transition or a history state"
        case "output": "in a final state"
        case "on", "always", "after", "onDone", "invoke", "states", "initial", "type", "entry", "exit": "in a state"
        case "guard", "reenter": "in a transition"
        default: nil
        }
    }

    private static let behaviour = ["initial", "type", "states", "on", "always", "entry", "exit", "onDone"]
    private static let notes = ["description", "tags", "meta"]
}
