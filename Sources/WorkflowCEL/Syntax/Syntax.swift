/// A parsed expression, with its macros expanded.
struct Syntax: Sendable {
    let kind: Kind
    /// In bytes of UTF-8; without brackets around it.
    let range: Range<Int>
    /// Levels of expressions within each other, this one included; bounded by `CELLimits.nesting`, so that walking an
    /// expression cannot exhaust the stack.
    let height: Int

    indirect enum Kind: Sendable {
        case literal(Value)
        case name(String, isAbsolute: Bool)
        /// `a.b`, `a.?b`
        case select(Syntax, Field, isOptional: Bool)
        /// `has(a.b)`
        case has(Syntax, Field)
        /// `a[b]`, `a[?b]`
        case index(Syntax, Syntax, isOptional: Bool)
        /// `f(a)`, `.f(a)`
        case call(Callee, [Syntax])
        /// `a.f(b)`
        case memberCall(Syntax, Callee, [Syntax])
        case list([Element])
        case map([Entry])
        case not(Syntax)
        case negation(Syntax)
        case binary(BinaryOperator, Syntax, Syntax)
        case conjunction([Syntax])
        case disjunction([Syntax])
        case conditional(Syntax, Syntax, Syntax)
        case comprehension(Comprehension)
        /// A mistake that is noted already.
        case invalid
    }

    /// Whether it stands for a mistake that is noted already.
    var isInvalid: Bool {
        if case .invalid = kind { true } else { false }
    }

    /// The name after a point.
    struct Field: Sendable {
        let name: String
        let range: Range<Int>
    }

    /// The name before the arguments.
    struct Callee: Sendable {
        let name: String
        let range: Range<Int>
        /// Written with a point before it: not looked up in the container.
        var isAbsolute = false
    }

    /// An element of a list; an optional one, `[?a]`, is left out when it has no value.
    struct Element: Sendable {
        let value: Syntax
        let isOptional: Bool
    }

    /// An entry of a map; an optional one, `{?k: v}`, is left out when it has no value.
    struct Entry: Sendable {
        let key: Syntax
        let value: Syntax
        let isOptional: Bool
    }

    /// A macro that evaluates an expression for each element, or for what is in an optional.
    struct Comprehension: Sendable {
        enum Kind: String, Sendable, CaseIterable {
            case all, exists
            case existsOne = "exists_one"
            case map, filter, optMap, optFlatMap
        }

        let kind: Kind
        let operand: Syntax
        let name: String
        let condition: Syntax?
        let result: Syntax?
    }
}

/// An operator between two operands that both are evaluated.
enum BinaryOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "in"

    /// Whether it is one of `*`, `/`, `%`.
    var isScaling: Bool {
        switch self {
        case .multiply, .divide, .remainder: true
        default: false
        }
    }

    /// Whether it is one of `<`, `<=`, `>`, `>=`.
    var isOrdering: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}
