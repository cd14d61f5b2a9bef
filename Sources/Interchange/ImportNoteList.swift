import Spelling
import Statechart

/// What was found so far in one text that is imported, in any order.
struct ImportNoteList {
    private var notes: [ImportNote] = []
    private var told: Set<String> = []
    private(set) var hasErrors = false

    /// Whether nothing was found yet.
    var isEmpty: Bool { notes.isEmpty }

    /// Adds a note.
    mutating func add(_ severity: ImportNote.Severity, _ message: String, at place: DefinitionPlace?) {
        let place = place ?? DefinitionPlace(line: 1, column: 1)
        if severity == .error { hasErrors = true }
        notes.append(ImportNote(severity, line: place.line, column: place.column, message))
    }

    /// Adds what makes the import impossible.
    mutating func error(_ message: String, at place: DefinitionPlace?) {
        add(.error, message, at: place)
    }

    /// Adds what is missing in the definition.
    mutating func warning(_ message: String, at place: DefinitionPlace?) {
        add(.warning, message, at: place)
    }

    /// Adds what is worth knowing.
    mutating func info(_ message: String, at place: DefinitionPlace?) {
        add(.info, message, at: place)
    }

    /// Adds a note unless it was added before, wherever that was.
    mutating func once(_ severity: ImportNote.Severity, _ message: String, at place: DefinitionPlace?) {
        if told.insert(message).inserted { add(severity, message, at: place) }
    }

    /// `; did you mean 'x'?`, or nothing. Looking for it is left out when there is more to tell than will be told.
    func suggestion(for word: String, among candidates: @autoclosure () -> some Sequence<String>) -> String {
        guard notes.count < DefinitionLimits.diagnostics,
            let closest = Spelling.closest(to: word, among: candidates())
        else { return "" }
        return "; did you mean \(closest.quoted)?"
    }

    /// All notes by line and column, cut at `ImportLimits.notes` with a last one that counts the rest; errors come
    /// first where not all can be told.
    var sorted: [ImportNote] {
        let limit = ImportLimits.notes
        guard notes.count > limit else { return Self.sorted(notes) }
        let ranked = notes.filter { $0.severity == .error } + notes.filter { $0.severity != .error }
        let shown = Self.sorted(Array(ranked.prefix(limit)))
        let next = ranked[limit]
        let rest = "and \(ranked.count - limit) more notes"
        return shown + [ImportNote(next.severity, line: next.line, column: next.column, rest)]
    }

    /// The failure of the import.
    var failure: ImportError { ImportError(notes: sorted) }

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
    var quoted: String {
        let limit = 60
        let cut = unicodeScalars.prefix(limit)
        let shown = cut.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return cut.endIndex == unicodeScalars.endIndex ? "'\(shown)'" : "'\(shown)…'"
    }
}
