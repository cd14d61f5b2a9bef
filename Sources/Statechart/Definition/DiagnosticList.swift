import WorkflowSpelling

/// What was found so far in one definition, in any order.
struct DiagnosticList {
    private(set) var errors: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []

    /// Adds a mistake: the definition cannot be used.
    mutating func error(_ message: String, at position: SourcePosition) {
        errors.append(Diagnostic(.error, line: position.line, column: position.column, message: message))
    }

    /// Adds something to think about.
    mutating func warning(_ message: String, at position: SourcePosition) {
        warnings.append(Diagnostic(.warning, line: position.line, column: position.column, message: message))
    }

    /// Adds what made a text unreadable.
    mutating func add(_ error: DefinitionError) {
        errors += error.diagnostics
    }

    /// Adds an error or a warning.
    mutating func add(_ severity: Diagnostic.Severity, _ message: String, at position: SourcePosition) {
        switch severity {
        case .error: error(message, at: position)
        case .warning: warning(message, at: position)
        }
    }

    /// `; did you mean 'x'?`, or nothing. Looking for it is left out when there is more to tell than will be told.
    func suggestion(for word: String, among candidates: @autoclosure () -> some Sequence<String>) -> String {
        guard isWorthSuggesting, let closest = Spelling.closest(to: word, among: candidates()) else { return "" }
        return "; did you mean \(closest.quoted)?"
    }

    /// Whether time spent on a suggestion is still well spent; bounds it for texts with very many mistakes.
    var isWorthSuggesting: Bool { max(errors.count, warnings.count) < DefinitionLimits.diagnostics }

    /// Errors and warnings by line and column, each cut at `DefinitionLimits.diagnostics` with a last one that counts
    /// the rest.
    var told: [Diagnostic] {
        let all = Self.cut(errors, "mistakes") + Self.cut(warnings, "warnings")
        return all.sorted(by: Self.precedes)
    }

    private static func cut(_ diagnostics: [Diagnostic], _ noun: String) -> [Diagnostic] {
        let sorted = diagnostics.sorted(by: precedes)
        let limit = DefinitionLimits.diagnostics
        guard sorted.count > limit else { return sorted }
        let next = sorted[limit]
        let rest = "and \(sorted.count - limit) more \(noun)"
        return sorted[..<limit] + [Diagnostic(next.severity, line: next.line, column: next.column, message: rest)]
    }

    private static func precedes(_ left: Diagnostic, _ right: Diagnostic) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension String {
    /// The text in single quotes for a message: cut where it is long, control characters replaced.
    var quoted: String {
        let limit = 60
        let cut = unicodeScalars.prefix(limit)
        let shown = cut.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return cut.endIndex == unicodeScalars.endIndex ? "'\(shown)'" : "'\(shown)…'"
    }
}
