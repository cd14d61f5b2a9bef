package import WorkflowCEL
package import WorkflowJSON

/// A compiled expression of a definition.
package struct Expression: Sendable {
    package let program: Program
    /// True if the value depends on the event, also through named guards.
    package let readsEvent: Bool
    /// The line of the definition on which the expression begins.
    package let line: Int

    /// The expression as written.
    package var source: String { program.source }
}

/// A value that may contain expressions: in maps and lists every string is an expression, everything else is literal.
package indirect enum Template: Sendable {
    /// A constant value.
    case literal(JSONValue)
    case expression(Expression)
    case list([Template])
    /// The members of a map, sorted by the bytes of their keys.
    case map([Member])

    /// One entry of a map.
    package struct Member: Sendable {
        package let key: String
        package let value: Template
    }
}

extension Template {
    /// The expressions in the template.
    var expressions: [Expression] {
        switch self {
        case .literal: []
        case .expression(let expression): [expression]
        case .list(let elements): elements.flatMap(\.expressions)
        case .map(let members): members.flatMap(\.value.expressions)
        }
    }
}
