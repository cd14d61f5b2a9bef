import WorkflowAPI
import WorkflowJSON
import WorkflowTerminal

/// How states, values and moves are shown to people.
enum StateText {
    /// The active leaves: `review.legal.pending, review.finance.ok`; `-` when there are none.
    static func leaves(_ paths: [String]) -> String {
        paths.isEmpty ? "-" : paths.joined(separator: ", ")
    }

    /// The same with its style.
    static func styled(_ paths: [String]) -> StyledText { StyledText(leaves(paths), .state) }

    /// The style of a status; nil for none.
    static func style(of status: Instance.Status) -> Style? {
        switch status {
        case .running: .good
        case .done: .faint
        case .failed: .bad
        case .suspended, .cancelled: .warning
        }
    }

    /// The style of what a row of a history records; nil for an event from outside and for kinds of newer daemons.
    static func style(ofKind kind: String) -> Style? {
        switch kind {
        case "started": .good
        case "failed": .bad
        case "timer", "sent": .faint
        default: nil
        }
    }

    /// In the place of what was erased.
    static let redacted = "(redacted)"

    /// One state; the root has no path.
    static func path(_ path: String) -> String { path.isEmpty ? "(root)" : path }

    /// In a sentence: `state 'draft'`, or `states 'a', 'b'`.
    static func named(_ paths: [String]) -> String {
        (paths.count == 1 ? "state " : "states ") + paths.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// What an event came with, compact; empty when it came without.
    static func data(_ data: JSONValue?) -> String {
        data.map { JSONWriter.string($0) } ?? ""
    }

    /// The data of an event, and the reason why it could not be applied or did nothing:
    /// `{"by":0} failed: division by zero, in …`, `skipped: 13m late`.
    static func data(_ data: JSONValue?, note: JSONValue?) -> String {
        [
            data.map { JSONWriter.string($0) }, note.flatMap { failure(in: "failure", of: $0) },
            note.flatMap { failure(in: "exit", of: $0) }, note.flatMap(skip), note.flatMap(reason), note.flatMap(run),
        ].compactMap { $0 }.joined(separator: " ")
    }

    /// What the person said who asked for it; nil where nobody said anything.
    private static func reason(_ note: JSONValue) -> String? {
        // On one line: what a person says must not look like a row.
        note.object?["reason"]?.string.map { "because: \(Printable.text($0))" }
    }

    /// The lateness of a row's timer that was too late, and the word for a delay that began anew; nil for other rows.
    private static func skip(_ note: JSONValue) -> String? {
        guard let skipped = note.object?["skipped"]?.object, case .int(let late)? = skipped["lateMilliseconds"] else {
            return nil
        }
        let text = "skipped: \(DurationText.text(milliseconds: late)) late"
        return skipped["rearmed"] == true ? text + ", armed anew" : text
    }

    /// The run over many instances that the row is a part of.
    private static func run(_ note: JSONValue) -> String? {
        note.object?["run"]?.string.map { "run: \(Printable.text($0))" }
    }

    /// Nil for a note that tells of no such failure: of the event, or of an exit action.
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

    /// What was left and entered, a line each; empty when nobody asked.
    static func detail(exited: [String]?, entered: [String]?) -> StyledText {
        var text: StyledText = ""
        if let exited { text = text + "  exited: \(styled(exited))\n" }
        if let entered { text = text + "  entered: \(styled(entered))\n" }
        return text
    }
}
