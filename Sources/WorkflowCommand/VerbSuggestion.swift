import Spelling

/// What somebody probably meant by a verb that does not exist.
enum VerbSuggestion {
    /// Verbs of other programs for what ours do.
    private static let counterparts = [
        "ls": "list", "ps": "list", "get": "show", "describe": "show", "status": "show", "inspect": "show",
        "info": "show", "cat": "show", "log": "history", "logs": "history", "tail": "history", "follow": "history",
        "run": "start", "create": "start", "new": "start", "fire": "send", "emit": "send", "signal": "send",
        "dispatch": "send", "post": "send", "check": "validate", "lint": "validate", "test": "simulate",
        "diagram": "graph", "draw": "graph", "dump": "backup", "schedule": "timers", "definition": "machine",
        "definitions": "machines", "deploy": "apply", "convert": "import",
    ]

    /// What to say below the refusal of a word that is no verb.
    static func notes(for word: String, verbs: [String]) -> [String] {
        if word == "cancel" {
            return [
                "an instance ends when its machine does: 'wfctl events NAME' lists what it accepts, "
                    + "'wfctl send NAME EVENT' sends one"
            ]
        }
        if let verb = counterparts[word.lowercased()] ?? Spelling.closest(to: word, among: verbs) {
            return ["did you mean '\(verb)'?"]
        }
        return ["'wfctl --help' lists the verbs"]
    }
}
