package import WorkflowCEL
package import WorkflowJSON

/// An expression of a definition, compiled.
package struct Expression: Sendable {
    package let program: Program
    /// Whether its value depends on the event, through named guards too.
    package let readsEvent: Bool
    /// The line of the definition on which it begins.
    package let line: Int

    package init(program: Program, readsEvent: Bool, line: Int) {
        self.program = program
        self.readsEvent = readsEvent
        self.line = line
    }

    /// The text as written.
    package var source: String { program.source }
}

/// A value with expressions in it: in maps and lists every string is one, everything else is literal.
package indirect enum Template: Sendable {
    /// The same every time.
    case literal(JSONValue)
    case expression(Expression)
    case list([Template])
    /// In the order of the keys' bytes.
    case map([Member])

    /// One entry of a map.
    package struct Member: Sendable {
        package let key: String
        package let value: Template

        package init(key: String, value: Template) {
            self.key = key
            self.value = value
        }
    }
}

extension Template {
    /// The expressions in it.
    var expressions: [Expression] {
        switch self {
        case .literal: []
        case .expression(let expression): [expression]
        case .list(let elements): elements.flatMap(\.expressions)
        case .map(let members): members.flatMap(\.value.expressions)
        }
    }
}
