import WorkflowSpelling

/// Finds the verb that was probably meant by an unknown one.
enum VerbSuggestion {
    /// The verbs of other programs, with the corresponding verbs of `wfctl`.
    private static let counterparts = [
        "ls": "list", "ps": "list", "get": "show", "describe": "show", "status": "show", "inspect": "show",
        "info": "show", "cat": "show", "log": "history", "logs": "history", "follow": "tail",
        "stream": "tail", "watch": "tail",
        "run": "start", "create": "start", "new": "start", "fire": "send", "emit": "send", "signal": "send",
        "dispatch": "send", "post": "send", "check": "validate", "lint": "validate", "test": "simulate",
        "diagram": "graph", "draw": "graph", "dump": "backup", "schedule": "timers", "definition": "machine",
        "definitions": "machines", "deploy": "apply", "convert": "import", "codegen": "generate", "gen": "generate",
        "abort": "cancel", "kill": "cancel", "terminate": "cancel", "stop": "cancel", "end": "cancel", "drop": "skip",
        "pause": "suspend", "halt": "suspend", "unpause": "resume", "continue": "resume", "assign": "set",
        "rm": "delete", "remove": "delete", "destroy": "delete", "deleted": "audit", "edit": "set", "update": "set",
        "unset": "set", "rewind": "reset", "revert": "reset", "rollback": "reset", "erase": "redact",
        "forget": "redact", "scrub": "redact", "rename": "redact",
    ]

    /// Returns the only verb that begins with some letters.
    private static func only(_ letters: String, _ verbs: [String]) -> String? {
        let found = verbs.filter { $0.hasPrefix(letters) }
        return found.count == 1 ? found[0] : nil  // Proof: there is one
    }

    /// Returns the notes below the refusal of an unknown verb.
    static func notes(for word: String, verbs: [String]) -> [String] {
        let word = word.lowercased()
        if let closest = Spelling.closest(to: word, among: verbs + counterparts.keys.sorted()) ?? only(word, verbs) {
            return ["did you mean '\(counterparts[word] ?? counterparts[closest] ?? closest)'?"]
        }
        return ["'wfctl --help' lists the verbs"]
    }
}
