import Statechart
import WorkflowSpelling

/// The notes found so far in an imported text, in any order.
struct ImportNoteList {
    /// A note with its bearing on the machine.
    private struct Entry {
        var note: ImportNote
        let bearing: Bearing
    }

    private var entries: [Entry] = []
    private var told: Set<String> = []
    private(set) var hasErrors = false

    /// True if there are no notes.
    var isEmpty: Bool { entries.isEmpty }

    private mutating func add(
        _ severity: ImportNote.Severity, _ message: String, at place: DefinitionPlace?, touching bearing: Bearing
    ) {
        let place = place ?? DefinitionPlace(line: 1, column: 1)
        if severity == .error { hasErrors = true }
        let note = ImportNote(severity, line: place.line, column: place.column, message)
        entries.append(Entry(note: note, bearing: bearing))
    }

    /// Adds an error, which makes the import fail.
    mutating func error(_ message: String, at place: DefinitionPlace?) {
        add(.error, message, at: place, touching: .nothing)
    }

    /// Adds a warning about a part that the definition lacks. The finished machine determines whether the warning is a
    /// loss.
    mutating func warning(_ message: String, at place: DefinitionPlace?, touching bearing: Bearing) {
        add(.warning, message, at: place, touching: bearing)
    }

    /// Adds information.
    mutating func info(_ message: String, at place: DefinitionPlace?) {
        add(.info, message, at: place, touching: .nothing)
    }

    /// Adds information, unless the same message was added before at any place.
    mutating func infoOnce(_ message: String, at place: DefinitionPlace?) {
        if told.insert(message).inserted { info(message, at: place) }
    }

    /// Turns warnings into losses if their bearing could have changed the machine's course.
    mutating func findLosses(_ parts: DecisiveParts) {
        for index in entries.indices where entries[index].note.severity == .warning {
            if parts.decide(entries[index].bearing) { entries[index].note.severity = .loss }
        }
    }

    /// Turns warnings with any bearing into losses, because there is no machine to ask.
    private mutating func findLosses() {
        for index in entries.indices where entries[index].note.severity == .warning {
            if entries[index].bearing != .nothing { entries[index].note.severity = .loss }
        }
    }

    /// Returns `; did you mean 'x'?`, or an empty text. The search is skipped if there are already more notes than are
    /// shown.
    func suggestion(for word: String, among candidates: @autoclosure () -> some Sequence<String>) -> String {
        guard entries.count < DefinitionLimits.diagnostics,
            let closest = Spelling.closest(to: word, among: candidates())
        else { return "" }
        return "; did you mean \(closest.quoted)?"
    }

    /// The notes by line and column, cut at `ImportLimits.notes`; a last note counts the rest. If not all fit, errors
    /// and then losses take precedence.
    var sorted: [ImportNote] {
        let limit = ImportLimits.notes
        let notes = entries.map(\.note)
        guard notes.count > limit else { return Self.sorted(notes) }
        let isMinor = { (note: ImportNote) in note.severity != .error && note.severity != .loss }
        let ranked =
            notes.filter { $0.severity == .error } + notes.filter { $0.severity == .loss } + notes.filter(isMinor)
        let shown = Self.sorted(Array(ranked.prefix(limit)))
        let next = ranked[limit]
        let rest = "and \(ranked.count - limit) more notes"
        return shown + [ImportNote(next.severity, line: next.line, column: next.column, rest)]
    }

    /// The failure of the import, including the losses that would remain after its errors are corrected.
    var failure: ImportError {
        var notes = self
        notes.findLosses()
        return ImportError(notes: notes.sorted)
    }

    /// Returns the notes in the order of the text. Notes at the same place keep the order in which they were found.
    private static func sorted(_ notes: [ImportNote]) -> [ImportNote] {
        let order = notes.indices.sorted { left, right in
            (notes[left].line, notes[left].column, left) < (notes[right].line, notes[right].column, right)
        }
        return order.map { notes[$0] }
    }
}

extension ImportError {
    /// Creates the failure of a text that cannot be read further.
    init(_ message: String, at place: DefinitionPlace = DefinitionPlace(line: 1, column: 1)) {
        self.init(notes: [ImportNote(.error, line: place.line, column: place.column, message)])
    }
}

extension String {
    /// The text in single quotes for a message. Long text is cut, and control characters and line breaks are replaced.
    var quoted: String { quoted(60) }

    /// Returns the text in single quotes, cut at a length in Unicode scalars.
    func quoted(_ limit: Int) -> String {
        let cut = unicodeScalars.prefix(limit)
        let shown = cut.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return cut.endIndex == unicodeScalars.endIndex ? "'\(shown)'" : "'\(shown)…'"
    }
}
