/// The keys that are allowed in each place of a definition.
package enum DefinitionKeys {
    /// A place in a definition with its own set of keys.
    package enum Place: CaseIterable {
        case root, state, finalState, historyState, initial, transition, action, raise, send, emit, branch, foreach,
            event, misfire, types, invocation, call, task, http, exec, retry
    }

    /// Returns the keys that this version supports in a place.
    package static func known(in place: Place) -> [String] {
        switch place {
        case .root: ["id", "context", "types", "events", "guards", "actions", "strict"] + behaviour + notes
        case .state: ["id"] + behaviour + notes
        case .finalState: ["id", "type", "entry", "exit", "output"] + notes
        case .historyState: ["id", "type", "history", "target"] + notes
        case .initial: ["target", "actions"]
        case .transition: ["target", "guard", "actions", "reenter", "misfire"] + notes
        case .action: ["assign", "raise", "send", "emit", "cancel", "log", "choose", "foreach", "call"]
        case .raise, .emit: ["event", "data"]
        case .send: ["event", "data", "delay", "id", "misfire"]
        case .misfire: ["skip", "next"]
        case .branch: ["guard", "actions"]
        case .foreach: ["array", "item", "index", "actions"]
        case .event: ["data"]
        case .types: ["context"]
        case .invocation: ["id"] + actionsOfEffects + ["input", "timeout", "retry", "onDone", "onError"]
        case .call: actionsOfEffects + ["input", "retry"]
        case .task: ["queue", "priority"]
        case .http:
            [
                "method", "url", "query", "headers", "body", "form", "text", "secretHeaders", "sign", "attemptTimeout",
                "maxBytes", "keepHeaders",
            ]
        case .exec: ["program", "args", "attemptTimeout", "maxBytes"]
        case .retry: ["on", "attempts", "first", "factor", "limit", "jitter", "except"]
        }
    }

    /// The keys for the action of an invocation or a call, which has exactly one of them.
    static let actionsOfEffects = ["http", "task", "exec"]

    /// The keys for the body of an HTTP request, which has at most one of them.
    static let payloads = ["body", "form", "text"]

    /// Returns the feature that a key needs and this version lacks; `nil` for keys of other places and unknown keys.
    static func missingPart(for key: String, in place: Place) -> String? {
        switch (place, key) {
        case (.invocation, "machine"), (.call, "machine"): "child machines"
        case (.action, "spawn"), (.action, "stop"), (.send, "to"): "messages between instances"
        default: nil
        }
    }

    /// Returns the replacement for a key from other notations; `nil` if there is none.
    static func remedy(for key: String, in place: Place) -> String? {
        switch place {
        case .invocation: remedyInInvocation(for: key)
        case .call: remedyInCall(for: key)
        default: nil
        }
    }

    private static func remedyInCall(for key: String) -> String? {
        switch key {
        case "id", "onDone", "onError", "timeout":
            "a call has no \(key.quoted): nobody waits for its end; 'invoke' has one"
        default: nil
        }
    }

    private static func remedyInInvocation(for key: String) -> String? {
        switch key {
        case "src":
            "'src' names code in XState; here it is http, task or exec: 'task: charge' hands it to a worker"
        case "onSnapshot": "'onSnapshot' does not exist: a worker's 'progress' is shown by 'wfctl effects'"
        case "finalize": "'finalize' does not exist: assign in the actions of 'onDone'"
        case "autoforward": "'autoforward' does not exist: a task takes no events"
        case "systemId": "'systemId' does not exist: 'id' names an invocation"
        default: nil
        }
    }

    /// Returns the place where a misplaced key belongs.
    static func home(of key: String) -> String? {
        switch key {
        case "context", "types", "strict", "actions", "guards", "events": "at the root"
        case "history": "in a history state"
        case "target": "in a transition or a history state"
        case "output": "in a final state"
        case "on", "always", "after", "onDone", "invoke", "states", "initial", "type", "entry", "exit": "in a state"
        case "guard": "in a transition or a branch of 'choose'"
        case "reenter": "in a transition"
        case "delay": "in a 'send'"
        case "misfire": "in a transition of 'after' or a 'send'"
        case "skip", "next": "in 'misfire'"
        case "onError", "timeout": "in an invocation"
        case "retry", "task", "http", "exec", "input": "in an invocation or a 'call'"
        case "queue", "priority": "in 'task'"
        case "program", "args": "in 'exec'"
        case "attemptTimeout", "maxBytes": "in 'http' or 'exec'"
        case "method", "url", "query", "headers", "body", "form", "text", "secretHeaders", "sign", "keepHeaders":
            "in 'http'"
        default: nil
        }
    }

    /// Returns the keys for a key that has another name in other notations, or in older versions of this notation.
    static func counterpart(of key: String) -> [String] {
        switch key {
        case "cond", "condition", "if", "when": ["guard"]
        case "onEntry", "onentry": ["entry"]
        case "onExit", "onexit": ["exit"]
        case "transitions", "events": ["on"]
        case "data", "datamodel": ["context", "output"]
        case "delays": ["after"]
        default: []
        }
    }

    private static let behaviour = [
        "initial", "type", "states", "on", "always", "after", "invoke", "entry", "exit", "onDone",
    ]
    private static let notes = ["description", "tags", "meta"]
}
