/// A position in the text of a definition.
struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, counted from 1.
    let line: Int
    /// The column in Unicode scalars, counted from 1.
    let column: Int

    static let start = SourcePosition(line: 1, column: 1)

    static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A word of a definition and its position.
struct SourceWord: Hashable, Sendable {
    let text: String
    let position: SourcePosition
}
