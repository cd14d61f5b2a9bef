/// Styles lines about definitions: `FILE:LINE:COLUMN: error: message`.
enum DiagnosticText {
    private static let severities: [(word: String, style: Style)] = [
        ("error:", .error), ("loss:", .bad), ("warning:", .warning), ("info:", .faint),
    ]

    /// Returns the line with its severity in colour.
    static func styled(_ line: String) -> StyledText {
        let found = severities.compactMap { word, style in
            line.firstRange(of: ": \(word) ").map { (place: $0, word: word, style: style) }
        }
        // The first severity is the line's own; a message may quote another.
        guard let first = found.min(by: { $0.place.lowerBound < $1.place.lowerBound }) else { return StyledText(line) }
        let head = String(line[..<first.place.lowerBound])
        return "\(head): \(first.word, first.style) \(String(line[first.place.upperBound...]))"
    }
}
