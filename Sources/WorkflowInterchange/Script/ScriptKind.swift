import Statechart

/// The statically known kinds of a script's values.
enum ScriptKind: Equatable {
    case bool, int, double, text, list, map
    /// A number that is an integer or has a fraction.
    case number

    /// Creates the kind of a literal; `nil` for null.
    init?(of value: DefinitionNode) {
        switch value.content {
        case .null: return nil
        case .bool: self = .bool
        case .number(let text): self = Int64(text) == nil ? .double : .int
        case .string: self = .text
        case .list: self = .list
        case .map: self = .map
        }
    }

    var isNumber: Bool { self == .int || self == .double || self == .number }

    /// Returns the kind of a value that has one of two kinds; `nil` if it can be any kind.
    func joined(_ other: ScriptKind?) -> ScriptKind? {
        guard let other else { return nil }
        if self == other { return self }
        return isNumber && other.isNumber ? .number : nil
    }

    /// Returns the kind of a sum, difference, product or quotient.
    fileprivate func computed(_ sign: ScriptOperator, with other: ScriptKind?) -> ScriptKind? {
        guard let other, isNumber, other.isNumber else { return nil }
        return self == .int && other == .int && sign != .divided ? .int : .double
    }
}

extension ScriptTranslator.Names {
    /// Returns the kind of an expression's value; `nil` if it can be any kind.
    func kind(of expression: ScriptExpression) -> ScriptKind? {
        switch expression {
        case .undefined, .null: return nil
        case .bool, .isActive, .not, .includes: return .bool
        case .integer: return .int
        case .double: return .double
        case .string: return .text
        case .list: return .list
        case .map: return .map
        case .name(let name): return kinds[name]
        case .member(.name("_event"), "name"): return .text
        case .member(let object, "length"): return kind(of: object) == .map ? nil : .int
        case .member, .element: return nil
        case .negative(let operand): return kind(of: operand).flatMap { $0.isNumber ? $0 : nil }
        case .conditional(_, let first, let second): return kind(of: first)?.joined(kind(of: second))
        case .call(let function, let arguments): return kind(of: function, arguments)
        case .binary(let sign, let left, let right): return kind(of: sign, kind(of: left), kind(of: right))
        }
    }

    private func kind(of sign: ScriptOperator, _ left: ScriptKind?, _ right: ScriptKind?) -> ScriptKind? {
        switch sign {
        case .or, .and: left == .bool && right == .bool ? .bool : nil
        case .equal, .strictlyEqual, .unequal, .strictlyUnequal, .less, .lessOrEqual, .greater, .greaterOrEqual: .bool
        case .plus where left == .text || right == .text: .text
        case .modulo: left == .int && right == .int ? .int : nil
        case .plus, .minus, .times, .divided: left?.computed(sign, with: right)
        }
    }

    private func kind(of function: ScriptFunction, _ arguments: [ScriptExpression]) -> ScriptKind? {
        switch function {
        case .floor, .ceil, .round, .parseInt: return .int
        case .power: return .double
        case .abs, .min, .max:
            let kinds = arguments.map { kind(of: $0) }
            if kinds.contains(.double) { return .double }
            return kinds.allSatisfy { $0 == .int } ? .int : kinds.allSatisfy { $0?.isNumber == true } ? .number : nil
        }
    }
}

extension ScriptExpression {
    /// The direct subexpressions.
    var parts: [ScriptExpression] {
        switch self {
        case .undefined, .null, .bool, .integer, .double, .string, .name, .isActive: []
        case .member(let object, _): [object]
        case .not(let operand), .negative(let operand): [operand]
        case .element(let first, let second), .binary(_, let first, let second), .includes(let first, let second):
            [first, second]
        case .conditional(let condition, let first, let second): [condition, first, second]
        case .call(_, let arguments), .list(let arguments): arguments
        case .map(let members): members.map(\.value)
        }
    }

    /// The names in the expression.
    var names: Set<String> {
        if case .name(let name) = self { return [name] }
        return parts.reduce(into: []) { $0.formUnion($1.names) }
    }

    /// The string literals in the expression.
    var texts: Set<String> {
        if case .string(let text) = self { return [text] }
        return parts.reduce(into: []) { $0.formUnion($1.texts) }
    }

    /// Returns true if the expression is or contains another expression.
    func contains(_ other: ScriptExpression) -> Bool {
        self == other || parts.contains { $0.contains(other) }
    }
}
