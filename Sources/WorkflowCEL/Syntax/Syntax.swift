/// A parsed expression, with its macros expanded.
struct Syntax: Sendable {
    let kind: Kind
    /// The range in bytes of UTF-8, without surrounding brackets.
    let range: Range<Int>
    /// The number of nested levels, including this one. `CELLimits.nesting` limits them, so that walking an expression
    /// cannot exhaust the stack.
    let height: Int

    indirect enum Kind: Sendable {
        case literal(Value)
        case name(String, isAbsolute: Bool)
        /// A selection: `a.b`, `a.?b`.
        case select(Syntax, Field, isOptional: Bool)
        /// A test for a field: `has(a.b)`.
        case has(Syntax, Field)
        /// An index: `a[b]`, `a[?b]`.
        case index(Syntax, Syntax, isOptional: Bool)
        /// A function call: `f(a)`, `.f(a)`.
        case call(Callee, [Syntax])
        /// A member call: `a.f(b)`.
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
        /// A mistake that is already reported.
        case invalid
    }

    /// True for a mistake that is already reported.
    var isInvalid: Bool {
        if case .invalid = kind { true } else { false }
    }

    /// A field name after a point.
    struct Field: Sendable {
        let name: String
        let range: Range<Int>
    }

    /// The function name before the arguments.
    struct Callee: Sendable {
        let name: String
        let range: Range<Int>
        /// True if a point precedes the name, which is then not looked up in the container.
        var isAbsolute = false
    }

    /// An element of a list. An optional element, `[?a]`, is left out if it has no value.
    struct Element: Sendable {
        let value: Syntax
        let isOptional: Bool
    }

    /// An entry of a map. An optional entry, `{?k: v}`, is left out if it has no value.
    struct Entry: Sendable {
        let key: Syntax
        let value: Syntax
        let isOptional: Bool
    }

    /// A macro that evaluates an expression for each element, or for the content of an optional.
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

/// A binary operator that evaluates both operands.
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

    /// True for `*`, `/` and `%`.
    var isScaling: Bool {
        switch self {
        case .multiply, .divide, .remainder: true
        default: false
        }
    }

    /// True for `<`, `<=`, `>` and `>=`.
    var isOrdering: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}
