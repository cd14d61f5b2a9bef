import WorkflowTerminal

/// Texts of definitions as they are shown: on one line, with control and direction characters as escapes.
enum ShownText {
    /// Returns a text on one line. Cuts a text that is longer than a number of characters.
    static func line(_ text: String, _ limit: Int) -> String {
        let words = text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
        let shown = Printable.text(words.joined(separator: " ")).unicodeScalars
        return shown.count <= limit ? String(shown) : String(shown.prefix(max(0, limit - 1))) + "…"
    }
}
