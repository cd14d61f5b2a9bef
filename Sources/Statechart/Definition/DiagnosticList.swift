import WorkflowSpelling

/// The diagnostics found so far in one definition, in any order.
struct DiagnosticList {
    private(set) var errors: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []

    /// Adds a mistake: the definition cannot be used.
    mutating func error(_ message: String, at position: SourcePosition) {
        errors.append(Diagnostic(.error, line: position.line, column: position.column, message: message))
    }

    /// Adds a warning.
    mutating func warning(_ message: String, at position: SourcePosition) {
        warnings.append(Diagnostic(.warning, line: position.line, column: position.column, message: message))
    }

    /// Adds the errors that made a text unreadable.
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

    /// Returns `; did you mean 'x'?`, or an empty text. The search is skipped once the list has more entries than are
    /// shown.
    func suggestion(for word: String, among candidates: @autoclosure () -> some Sequence<String>) -> String {
        guard isWorthSuggesting, let closest = Spelling.closest(to: word, among: candidates()) else { return "" }
        return "; did you mean \(closest.quoted)?"
    }

    /// True if the search for a suggestion is still worthwhile; bounds the time for texts with very many mistakes.
    var isWorthSuggesting: Bool { max(errors.count, warnings.count) < DefinitionLimits.diagnostics }

    /// The errors and warnings to report, by line and column. Each kind is truncated at `DefinitionLimits.diagnostics`,
    /// with a last entry that counts the rest.
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
    /// The text in single quotes for a message: truncated if long, with control characters replaced.
    var quoted: String {
        let limit = 60
        let cut = unicodeScalars.prefix(limit)
        let shown = cut.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return cut.endIndex == unicodeScalars.endIndex ? "'\(shown)'" : "'\(shown)…'"
    }
}
