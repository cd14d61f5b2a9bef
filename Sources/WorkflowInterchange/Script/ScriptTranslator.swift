import Statechart

/// Translates script expressions to expressions of a definition.
struct ScriptTranslator {
    /// A difference between a translation and its script.
    enum Remark: Hashable {
        /// The operands may be strings, or numbers of two kinds.
        case mixedKinds
        case looseEquality
        /// Values of two kinds are compared; the script would convert one of them.
        case conversion
        /// A use of `||` or `&&` whose result is one of its operands.
        case choice
        /// A condition of unknown kind. At evaluation only a bool is accepted; any other value is an error.
        case truthiness
        /// The length of a value that may be a string.
        case length
        /// The use of `parseInt` on a value that may be a string.
        case wholeText
        /// A power, whose result is a double.
        case power
        /// An undeclared name: reading it fails in the script and in the definition.
        case undeclared(String)
    }

    /// The names of a document and their counterparts.
    struct Names {
        /// The keys of the context by the names of data.
        var contextKeys: [String: String] = [:]
        /// The known kinds of data.
        var kinds: [String: ScriptKind] = [:]
        /// The data that may be null before they have their kind.
        var nullable: Set<String> = []
        /// The names of states by their ids.
        var states: [String: String] = [:]
        /// True if all names of data are known; scripts may define more.
        var isComplete = true
    }

    let names: Names
    /// The remarks so far.
    private(set) var remarks: Set<Remark> = []

    /// Adds a remark.
    mutating func notice(_ remark: Remark) { remarks.insert(remark) }

    /// The precedence of the parts of an expression (CEL, "Syntax").
    enum Binding: Int {
        case conditional, or, and, relation, sum, product, unary, primary
    }

    /// Returns the text of an expression.
    mutating func text(_ expression: ScriptExpression) throws(ScriptFailure) -> String {
        try text(expression, atLeast: .conditional)
    }

    /// Returns the text of an expression that must be a bool.
    mutating func condition(_ expression: ScriptExpression) throws(ScriptFailure) -> String {
        try condition(expression, atLeast: .conditional)
    }

    private mutating func condition(
        _ expression: ScriptExpression, isNegated: Bool = false, atLeast least: Binding
    ) throws(ScriptFailure) -> String {
        let (text, binding) = try test(expression, isNegated)
        return binding.rawValue >= least.rawValue ? text : "(\(text))"
    }

    /// Returns the test of a value's truth. In a script all values are true except false, 0, the empty string, and
    /// absent values.
    private mutating func test(
        _ expression: ScriptExpression, _ isNegated: Bool
    ) throws(ScriptFailure) -> (String, Binding) {
        switch expression {
        case .not(let operand): return try test(operand, !isNegated)
        case .binary(let sign, let left, let right) where sign == .or || sign == .and:
            let (own, closer): (Binding, Binding) = sign == .or ? (.or, .and) : (.and, .relation)
            let text = try condition(left, atLeast: own) + " \(sign.rawValue) " + condition(right, atLeast: closer)
            return isNegated ? ("!(\(text))", .unary) : (text, own)
        default: break
        }
        let kind = names.kind(of: expression)
        if let zero = kind?.zero {
            let sign = isNegated ? "==" : "!="
            let text = try self.text(expression, atLeast: .sum)
            let isZero = "\(text) \(sign) \(zero)"
            guard mayBeNull(expression) else { return (isZero, .relation) }
            return ("\(text) \(sign) null \(isNegated ? "||" : "&&") \(isZero)", isNegated ? .or : .and)
        }
        if case .name = expression, kind == .bool, mayBeNull(expression) {
            let text = try self.text(expression, atLeast: .sum)
            return ("\(text) \(isNegated ? "!=" : "==") true", .relation)
        }
        if kind != .bool { remarks.insert(.truthiness) }
        guard isNegated else { return try part(expression) }
        return ("!" + (try text(expression, atLeast: .primary)), .unary)
    }

    private func mayBeNull(_ expression: ScriptExpression) -> Bool {
        if case .name(let name) = expression { names.nullable.contains(name) } else { false }
    }

    /// Returns the value of an expression where literals and expressions can be mixed: in `assign`, `data` and
    /// `output`.
    mutating func template(
        _ expression: ScriptExpression, at place: DefinitionPlace
    ) throws(ScriptFailure) -> DefinitionNode {
        switch expression {
        case .list(let elements):
            var nodes: [DefinitionNode] = []
            for element in elements { nodes.append(try template(element, at: place)) }
            return .list(nodes, at: place)
        case .map(let members):
            var nodes: [DefinitionNode.Member] = []
            for member in members {
                nodes.append(DefinitionNode.Member(member.key, try template(member.value, at: place)))
            }
            return .map(nodes, at: place)
        case .string: return .string(try text(expression), at: place)
        default:
            if let literal = Self.literal(expression, at: place) { return literal }
            return .string(try text(expression), at: place)
        }
    }

    /// Returns the value of a constant expression; `nil` for others.
    static func literal(_ expression: ScriptExpression, at place: DefinitionPlace) -> DefinitionNode? {
        switch expression {
        case .undefined, .null: return DefinitionNode(.null, at: place)
        case .bool(let bool): return .bool(bool, at: place)
        case .integer(let integer): return DefinitionNode(.number(String(integer)), at: place)
        case .double(let double): return DefinitionNode(.number(double.description), at: place)
        case .string(let text): return .string(text, at: place)
        case .list(let elements):
            let literals = elements.compactMap { literal($0, at: place) }
            return literals.count == elements.count ? .list(literals, at: place) : nil
        case .map(let members):
            let literals = members.compactMap { member in
                literal(member.value, at: place).map { DefinitionNode.Member(member.key, $0) }
            }
            return literals.count == members.count ? .map(literals, at: place) : nil
        default: return nil
        }
    }

    /// Returns the text of an expression, in brackets if its precedence is too low.
    mutating func text(
        _ expression: ScriptExpression, atLeast least: Binding
    ) throws(ScriptFailure) -> String {
        let (text, binding) = try part(expression)
        return binding.rawValue >= least.rawValue ? text : "(\(text))"
    }

    private mutating func part(_ expression: ScriptExpression) throws(ScriptFailure) -> (String, Binding) {
        switch expression {
        case .undefined, .null: return ("null", .primary)
        case .bool(let bool): return (bool ? "true" : "false", .primary)
        case .integer(let integer): return (String(integer), integer < 0 ? .unary : .primary)
        case .double(let double): return (double.description, double < 0 ? .unary : .primary)
        case .string(let text): return (ExpressionText.string(text), .primary)
        case .name(let name): return (try variable(name), .primary)
        case .member(let object, let name): return (try member(object, name), .primary)
        case .element(.name("_event"), _): throw ScriptFailure(reason: "'_event' as a whole")
        case .element(let object, let key):
            return (try text(object, atLeast: .primary) + "[" + text(key) + "]", .primary)
        case .isActive(let id): return (try isActive(id), .primary)
        case .not: return try test(expression, false)
        case .negative(let operand): return ("-" + (try text(operand, atLeast: .primary)), .unary)
        case .binary(let sign, let left, let right): return try binary(sign, left, right)
        case .conditional(let condition, let first, let second):
            let parts = try (self.condition(condition, atLeast: .or), text(first, atLeast: .or), text(second))
            return ("\(parts.0) ? \(parts.1) : \(parts.2)", .conditional)
        case .call(let function, let arguments): return (try call(function, arguments), .primary)
        case .includes(let object, let element): return try includes(object, element)
        case .list(let elements):
            var texts: [String] = []
            for element in elements { texts.append(try text(element)) }
            return ("[" + texts.joined(separator: ", ") + "]", .primary)
        case .map(let members):
            var texts: [String] = []
            for member in members { texts.append(ExpressionText.string(member.key) + ": " + (try text(member.value))) }
            return ("{" + texts.joined(separator: ", ") + "}", .primary)
        }
    }
}

// MARK: Names

extension ScriptTranslator {
    /// The names of the system variables (SCXML 5.10). Only `_event` has a counterpart.
    private static let systemNames = ["_event", "_sessionid", "_name", "_ioprocessors", "_x"]

    private mutating func variable(_ name: String) throws(ScriptFailure) -> String {
        "context" + ExpressionText.selection(try contextKey(name))
    }

    /// Returns the key of the context for a name.
    private mutating func contextKey(_ name: String) throws(ScriptFailure) -> String {
        if let key = names.contextKeys[name] { return key }
        if name == "_event" { throw ScriptFailure(reason: "'_event' as a whole") }
        guard names.isComplete, !Self.systemNames.contains(name), ExpressionText.isIdentifier(name) else {
            throw ScriptFailure(reason: name.quoted)
        }
        remarks.insert(.undeclared(name))
        return name
    }

    private mutating func member(_ object: ScriptExpression, _ name: String) throws(ScriptFailure) -> String {
        if object == .name("_event") {
            guard name == "name" || name == "data" else { throw ScriptFailure(reason: "'_event.\(name)'") }
            return "event." + name
        }
        if name == "length", !isMap(object) {
            if !isList(object) { remarks.insert(.length) }
            return "size(" + (try text(object)) + ")"
        }
        return try text(object, atLeast: .primary) + ExpressionText.selection(name)
    }

    private func isActive(_ id: String) throws(ScriptFailure) -> String {
        guard let state = names.states[id] else {
            throw ScriptFailure(reason: "'In' of \(id.quoted), which is no state")
        }
        return "In(" + ExpressionText.string(state) + ")"
    }

    /// Returns the path into the context for a location (SCXML 5.4).
    mutating func path(_ location: ScriptExpression) throws(ScriptFailure) -> String {
        switch location {
        case .name(let name): return try contextKey(name)
        case .member(let object, let name) where name != "length":
            return try path(object) + ExpressionText.selection(name, isInPath: true)
        case .element(let object, .string(let key)):
            return try path(object) + ExpressionText.selection(key, isInPath: true)
        case .element(let object, let key): return try path(object) + "[" + text(key) + "]"
        default: throw ScriptFailure(reason: "a location that is no path into the data")
        }
    }
}

// MARK: Operators

extension ScriptTranslator {
    private mutating func binary(
        _ sign: ScriptOperator, _ left: ScriptExpression, _ right: ScriptExpression
    ) throws(ScriptFailure) -> (String, Binding) {
        switch sign {
        case .or, .and:
            // As a value, the result is one of the operands.
            if names.kind(of: left) != .bool || names.kind(of: right) != .bool { remarks.insert(.choice) }
            return try test(.binary(sign, left, right), false)
        case .equal, .strictlyEqual: return (try equality(left, "==", right, isLoose: sign == .equal), .relation)
        case .unequal, .strictlyUnequal:
            return (try equality(left, "!=", right, isLoose: sign == .unequal), .relation)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let (left, right) = comparable(left, right)
            return (try joined(left, .sum, " \(sign.rawValue) ", right, .sum), .relation)
        case .plus where isText(left) != isText(right):
            let texts = try (asText(left, atLeast: .sum), asText(right, atLeast: .product))
            return (texts.0 + " + " + texts.1, .sum)
        case .plus, .minus, .times, .divided, .modulo: return try arithmetic(sign, left, right)
        }
    }

    /// Translates an arithmetic operator. A script has one number type; here both operands must have the same type.
    private mutating func arithmetic(
        _ sign: ScriptOperator, _ left: ScriptExpression, _ right: ScriptExpression
    ) throws(ScriptFailure) -> (String, Binding) {
        let kinds = (names.kind(of: left), names.kind(of: right))
        let areTexts = sign == .plus && isText(left) && isText(right)
        let areInts = kinds == (.int, .int)
        let areNumbers = kinds.0?.isNumber == true && kinds.1?.isNumber == true && (areInts || sign != .modulo)
        // Beside a double the other operand becomes a double, except in a sum, whose operands may be strings.
        let isConverted = sign != .plus && sign != .modulo && (isDouble(left) || isDouble(right))
        if !areTexts, !areNumbers, !isConverted { remarks.insert(.mixedKinds) }
        let isReal = areNumbers && (!areInts || sign == .divided)
        let isDouble = (isDouble(left) || isReal, isDouble(right) || isReal)
        let isSum = sign == .plus || sign == .minus
        let least: (Binding, Binding) = isSum ? (.sum, .product) : (.product, .unary)
        let texts = try (
            isDouble.1 && !self.isDouble(left) ? asDouble(left) : text(left, atLeast: least.0),
            isDouble.0 && !self.isDouble(right) ? asDouble(right) : text(right, atLeast: least.1)
        )
        return ("\(texts.0) \(sign.rawValue) \(texts.1)", isSum ? .sum : .product)
    }

    /// Returns true if the translated value is certainly a double.
    func isDouble(_ expression: ScriptExpression) -> Bool {
        if let kind = names.kind(of: expression) { return kind == .double }
        switch expression {
        case .binary(.plus, let left, let right), .binary(.minus, let left, let right),
            .binary(.times, let left, let right), .binary(.divided, let left, let right):
            return !isText(left) && !isText(right) && (isDouble(left) || isDouble(right))
        default: return false
        }
    }

    /// Returns true if the value is certainly a string.
    func isText(_ expression: ScriptExpression) -> Bool {
        names.kind(of: expression) == .text
    }

    /// Returns two operands of a comparison. A string literal beside a number becomes the number that it contains.
    private mutating func comparable(
        _ left: ScriptExpression, _ right: ScriptExpression
    ) -> (ScriptExpression, ScriptExpression) {
        guard let kinds = names.kind(of: left).flatMap({ left in names.kind(of: right).map { (left, $0) } }),
            kinds.0.joined(kinds.1) == nil
        else { return (left, right) }
        if kinds.0.isNumber, let number = right.number { return (left, number) }
        if kinds.1.isNumber, let number = left.number { return (number, right) }
        remarks.insert(.conversion)
        return (left, right)
    }

    mutating func asDouble(_ operand: ScriptExpression) throws(ScriptFailure) -> String {
        if case .integer(let integer) = operand, let double = Double(exactly: integer) { return double.description }
        return "double(" + (try text(operand)) + ")"
    }

    private mutating func joined(
        _ left: ScriptExpression, _ leftLeast: Binding, _ sign: String, _ right: ScriptExpression,
        _ rightLeast: Binding
    ) throws(ScriptFailure) -> String {
        try text(left, atLeast: leftLeast) + sign + text(right, atLeast: rightLeast)
    }

    /// Returns an operand of a string concatenation as a string.
    mutating func asText(
        _ operand: ScriptExpression, atLeast least: Binding
    ) throws(ScriptFailure) -> String {
        isText(operand) ? try text(operand, atLeast: least) : "string(" + (try text(operand)) + ")"
    }

    /// Translates an equality. An absent member is `undefined` in a script, while reading it here would fail.
    private mutating func equality(
        _ left: ScriptExpression, _ sign: String, _ right: ScriptExpression, isLoose: Bool
    ) throws(ScriptFailure) -> String {
        let isAskingForAbsence = [left, right].contains { $0 == .undefined || $0 == .null && isLoose }
        var (left, right) = (left, right)
        if isLoose, !isAskingForAbsence {
            (left, right) = comparable(left, right)
            let areKnown = names.kind(of: left) != nil && names.kind(of: right) != nil
            if !areKnown { remarks.insert(.looseEquality) }
        }
        let texts = try (
            operand(left, mayBeAbsent: isAskingForAbsence), operand(right, mayBeAbsent: isAskingForAbsence)
        )
        return "\(texts.0) \(sign) \(texts.1)"
    }

    private mutating func operand(
        _ expression: ScriptExpression, mayBeAbsent: Bool
    ) throws(ScriptFailure) -> String {
        guard mayBeAbsent, case .member(let object, let name) = expression, object != .name("_event"),
            name != "length" || isMap(object), ExpressionText.isSelectable(name)
        else { return try text(expression, atLeast: .sum) }
        return try text(object, atLeast: .primary) + ".?\(name).orValue(null)"
    }
}

extension ScriptExpression {
    /// The number in a string literal; `nil` for any other expression.
    fileprivate var number: ScriptExpression? {
        guard case .string(let text) = self else { return nil }
        if let integer = Int64(text), String(integer) == text { return .integer(integer) }
        guard let double = Double(text), double.isFinite, double.description == text else { return nil }
        return .double(double)
    }
}

extension ScriptKind {
    /// The value of this kind that counts as false; `nil` if there is none, or if the value is false itself.
    fileprivate var zero: String? {
        switch self {
        case .int, .number: "0"
        case .double: "0.0"
        case .text: "''"
        case .bool, .list, .map: nil
        }
    }
}
