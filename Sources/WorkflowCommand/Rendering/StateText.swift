import WorkflowAPI
import WorkflowJSON
import WorkflowTerminal

/// States, values and moves, for people.
enum StateText {
    /// Returns the active leaves: `review.legal.pending, review.finance.ok`; `-` if there are none.
    static func leaves(_ paths: [String]) -> String {
        paths.isEmpty ? "-" : paths.joined(separator: ", ")
    }

    /// Returns the active leaves with their style.
    static func styled(_ paths: [String]) -> StyledText { StyledText(leaves(paths), .state) }

    /// Returns the style of a status, or `nil` for none.
    static func style(of status: Instance.Status) -> Style? {
        switch status {
        case .running: .good
        case .done: .faint
        case .failed: .bad
        case .suspended, .cancelled: .warning
        }
    }

    /// Returns the style of a history row's kind, or `nil` for an event from outside and for kinds of newer daemons.
    static func style(ofKind kind: String) -> Style? {
        switch kind {
        case "started": .good
        case "failed": .bad
        case "timer", "sent": .faint
        default: nil
        }
    }

    /// The text in place of erased data.
    static let redacted = "(redacted)"

    /// Returns the text of one state; the root has no path.
    static func path(_ path: String) -> String { path.isEmpty ? "(root)" : path }

    /// Returns the states as part of a sentence: `state 'draft'`, or `states 'a', 'b'`.
    static func named(_ paths: [String]) -> String {
        (paths.count == 1 ? "state " : "states ") + paths.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// Returns the data of an event in compact form; empty if there is none.
    static func data(_ data: JSONValue?) -> String {
        data.map { JSONWriter.string($0) } ?? ""
    }

    /// Returns the data of an event, and the reason why the event could not be applied or did nothing: `{"by":0}
    /// failed: division by zero, in …`, `skipped: 13m late`.
    static func data(_ data: JSONValue?, note: JSONValue?) -> String {
        [
            data.map { JSONWriter.string($0) }, note.flatMap { failure(in: "failure", of: $0) },
            note.flatMap { failure(in: "exit", of: $0) }, note.flatMap(skip), note.flatMap(reason), note.flatMap(run),
        ].compactMap { $0 }.joined(separator: " ")
    }

    /// Returns the reason that the operator gave, or `nil` if none was given.
    private static func reason(_ note: JSONValue) -> String? {
        // On one line: a person's text must not look like a row.
        note.object?["reason"]?.string.map { "because: \(Printable.text($0))" }
    }

    /// Returns the lateness of a skipped timer, and the word for a delay that began anew, or `nil` for other rows.
    private static func skip(_ note: JSONValue) -> String? {
        guard let skipped = note.object?["skipped"]?.object, case .int(let late)? = skipped["lateMilliseconds"] else {
            return nil
        }
        let text = "skipped: \(DurationText.text(milliseconds: late)) late"
        return skipped["rearmed"] == true ? text + ", armed anew" : text
    }

    /// Returns the bulk run that the row is a part of.
    private static func run(_ note: JSONValue) -> String? {
        note.object?["run"]?.string.map { "run: \(Printable.text($0))" }
    }

    /// Returns the failure of the event or of an exit action, or `nil` if the note has none.
    private static func failure(in field: String, of note: JSONValue) -> String? {
        guard let failure = note.object?[field]?.object, case .string(let message)? = failure["message"] else {
            return nil
        }
        guard case .string(let expression)? = failure["expression"], case .string(let path)? = failure["state"],
            case .int(let line)? = failure["line"]
        else { return "failed: \(message)" }
        let place = path.isEmpty ? "the root" : "state '\(path)'"
        return "failed: \(message), in '\(expression)' of \(place), line \(line)"
    }

    /// Returns the states left and entered, one line each; empty without details.
    static func detail(exited: [String]?, entered: [String]?) -> StyledText {
        var text: StyledText = ""
        if let exited { text = text + "  exited: \(styled(exited))\n" }
        if let entered { text = text + "  entered: \(styled(entered))\n" }
        return text
    }
}
