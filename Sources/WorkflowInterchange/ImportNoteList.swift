import Statechart
import WorkflowSpelling

/// What was found so far in one text that is imported, in any order.
struct ImportNoteList {
    /// A note, and what it would be about in the machine.
    private struct Entry {
        var note: ImportNote
        let bearing: Bearing
    }

    private var entries: [Entry] = []
    private var told: Set<String> = []
    private(set) var hasErrors = false

    /// Whether nothing was found yet.
    var isEmpty: Bool { entries.isEmpty }

    private mutating func add(
        _ severity: ImportNote.Severity, _ message: String, at place: DefinitionPlace?, touching bearing: Bearing
    ) {
        let place = place ?? DefinitionPlace(line: 1, column: 1)
        if severity == .error { hasErrors = true }
        let note = ImportNote(severity, line: place.line, column: place.column, message)
        entries.append(Entry(note: note, bearing: bearing))
    }

    /// Adds what makes the import impossible.
    mutating func error(_ message: String, at place: DefinitionPlace?) {
        add(.error, message, at: place, touching: .nothing)
    }

    /// Adds what is missing in the definition. Whether that is a loss is known when the machine is.
    mutating func warning(_ message: String, at place: DefinitionPlace?, touching bearing: Bearing) {
        add(.warning, message, at: place, touching: bearing)
    }

    /// Adds what is worth knowing.
    mutating func info(_ message: String, at place: DefinitionPlace?) {
        add(.info, message, at: place, touching: .nothing)
    }

    /// Adds what is worth knowing unless it was added before, wherever that was.
    mutating func infoOnce(_ message: String, at place: DefinitionPlace?) {
        if told.insert(message).inserted { info(message, at: place) }
    }

    /// Makes losses of the warnings about what could have changed where the machine goes.
    mutating func findLosses(_ parts: DecisiveParts) {
        for index in entries.indices where entries[index].note.severity == .warning {
            if parts.decide(entries[index].bearing) { entries[index].note.severity = .loss }
        }
    }

    /// The same where there is no machine that could be asked: whatever can decide does.
    private mutating func findLosses() {
        for index in entries.indices where entries[index].note.severity == .warning {
            if entries[index].bearing != .nothing { entries[index].note.severity = .loss }
        }
    }

    /// `; did you mean 'x'?`, or nothing. Looking for it is left out when there is more to tell than will be told.
    func suggestion(for word: String, among candidates: @autoclosure () -> some Sequence<String>) -> String {
        guard entries.count < DefinitionLimits.diagnostics,
            let closest = Spelling.closest(to: word, among: candidates())
        else { return "" }
        return "; did you mean \(closest.quoted)?"
    }

    /// All notes by line and column, cut at `ImportLimits.notes` with a last one that counts the rest; errors and then
    /// losses come first where not all can be told.
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

    /// The failure of the import, with all that would be lost once its errors are mended.
    var failure: ImportError {
        var notes = self
        notes.findLosses()
        return ImportError(notes: notes.sorted)
    }

    /// Notes of one place stay in the order in which they were found.
    private static func sorted(_ notes: [ImportNote]) -> [ImportNote] {
        let order = notes.indices.sorted { left, right in
            (notes[left].line, notes[left].column, left) < (notes[right].line, notes[right].column, right)
        }
        return order.map { notes[$0] }
    }
}

extension ImportError {
    /// A text that cannot be read any further.
    init(_ message: String, at place: DefinitionPlace = DefinitionPlace(line: 1, column: 1)) {
        self.init(notes: [ImportNote(.error, line: place.line, column: place.column, message)])
    }
}

extension String {
    /// The text in single quotes for a message: cut where it is long, control characters and line breaks replaced.
    var quoted: String { quoted(60) }

    /// The same, cut at a length in Unicode scalars.
    func quoted(_ limit: Int) -> String {
        let cut = unicodeScalars.prefix(limit)
        let shown = cut.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return cut.endIndex == unicodeScalars.endIndex ? "'\(shown)'" : "'\(shown)…'"
    }
}
