/// A place in the text of a definition.
struct SourcePosition: Hashable, Comparable, Sendable {
    /// Counted from 1.
    let line: Int
    /// Counted in Unicode scalars, from 1.
    let column: Int

    static let start = SourcePosition(line: 1, column: 1)

    static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A word of a definition and where it stands.
struct SourceWord: Hashable, Sendable {
    let text: String
    let position: SourcePosition
}
