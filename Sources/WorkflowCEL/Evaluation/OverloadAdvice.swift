/// The messages for operators without an overload for the operand types, with a suggested correction.
///
/// The check and the evaluation use the same messages.
enum OverloadAdvice {
    /// Returns the message for a binary operator.
    ///
    /// - Parameters:
    ///   - symbol: An operator with two operands.
    ///   - left: The type on the left; `nil` if unknown.
    static func message(
        _ symbol: BinaryOperator, _ left: TypeName?, _ leftOperand: Operand, _ right: TypeName?, _ rightOperand: Operand
    ) -> String {
        let message = "no such overload: \(left?.word ?? "dyn") \(symbol.rawValue) \(right?.word ?? "dyn")"
        guard let left, let right else { return "\(message); \(takes(symbol))" }
        let advice = advice(symbol, Side(type: left, operand: leftOperand), Side(type: right, operand: rightOperand))
        return "\(message); \(advice ?? takes(symbol))"
    }

    /// Returns the message for a value where a bool is required.
    static func notBool(_ type: TypeName, _ operand: Operand) -> String {
        let text = operand.text
        let advice: String? =
            switch type {
            case .null where text == "null": nil
            case .null: "write \(text) != null to ask for a value"
            case .int: "write \(text) != 0"
            case .uint: "write \(text) != 0u"
            case .double: "write \(text) != 0.0"
            case .string: "write \(text) != ''"
            case .list, .map, .bytes: "write size(\(text)) > 0"
            case .optional: "write \(text).orValue(false)"
            default: nil
            }
        return "expected a bool, but \(text) is \(type.withArticle)" + (advice.map { "; \($0)" } ?? "")
    }

    /// Returns the message for a value that cannot be negated.
    static func noNegation(_ type: TypeName, _ operand: Operand) -> String {
        let advice =
            switch type {
            case .uint: "write -int(\(operand.text))"
            case .null: whenNull(operand)
            case .string: "write -double(\(operand.text)) or -int(\(operand.text))"
            default: "- takes int and double"
            }
        return "no such overload: -\(type.word); \(advice)"
    }

    private struct Side {
        let type: TypeName
        let operand: Operand

        var isNumber: Bool { type == .int || type == .uint || type == .double }

        /// Returns true if the operand is a number literal that can be written as a literal of another type.
        func canBeWritten(as wanted: TypeName) -> Bool {
            type == .int && operand.isInteger && (wanted == .double || !operand.text.hasPrefix("-"))
        }

        /// Returns the text of the operand's conversion to another type.
        func converted(to wanted: TypeName) -> String {
            switch (operand.isInteger, wanted) {
            case (true, .double): "\(operand.text).0"
            case (true, .uint): "\(operand.text)u"
            default: "\(wanted.word)(\(operand.text))"
            }
        }
    }

    /// Returns the message for an operand that is null.
    static func whenNull(_ operand: Operand) -> String {
        operand.text == "null" || operand.text == "…"
            ? "null can only be compared with == and !="
            : "\(operand.text) is null, ask \(operand.text) != null first"
    }

    private static func advice(_ symbol: BinaryOperator, _ left: Side, _ right: Side) -> String? {
        if left.type == .null { return whenNull(left.operand) }
        if right.type == .null { return whenNull(right.operand) }
        if symbol == .isIn {
            return right.type == .string ? "write \(right.operand.text).contains(\(left.operand.text))" : nil
        }
        if left.type == .optional, right.type != .optional { return "write \(left.operand.text).orValue(…)" }
        if right.type == .optional, left.type != .optional { return "write \(right.operand.text).orValue(…)" }
        if left.isNumber, right.isNumber { return numbers(symbol, left, right) }
        return conversion(symbol, left, right) ?? conversion(symbol, right, left)
    }

    /// Returns advice for two number types: the conversion that loses least.
    private static func numbers(_ symbol: BinaryOperator, _ left: Side, _ right: Side) -> String? {
        if symbol == .remainder, left.type == .double || right.type == .double {
            let converted = [left, right].filter { $0.type == .double }.map { $0.converted(to: .int) }
            return "% takes int and uint; write \(converted.joined(separator: " and "))"
        }
        guard left.type != right.type else { return nil }
        if left.canBeWritten(as: right.type) { return "write \(left.converted(to: right.type))" }
        if right.canBeWritten(as: left.type) { return "write \(right.converted(to: left.type))" }
        switch (left.type, right.type) {
        case (_, .double): return "write \(left.converted(to: .double))"
        case (.double, _): return "write \(right.converted(to: .double))"
        case (.uint, _): return "write \(left.converted(to: .int))"
        default: return "write \(right.converted(to: .int))"
        }
    }

    /// Returns advice for converting one operand so that it fits the other.
    private static func conversion(_ symbol: BinaryOperator, _ side: Side, _ other: Side) -> String? {
        switch (side.type, other.type) {
        case (_, .list) where symbol == .add: "write [\(side.operand.text)]"
        case (.bytes, .string): "write string(\(side.operand.text))"
        case (.bool, .string) where symbol != .add: "write bool(\(other.operand.text))"
        case (.list, .string), (.map, .string), (.type, .string), (.optional, .string): nil
        case (.string, .string): nil
        case (.timestamp, .string) where symbol != .add: "write timestamp(\(other.operand.text))"
        case (.duration, .string) where symbol != .add: "write duration(\(other.operand.text))"
        case (.timestamp, .int) where symbol == .add || symbol == .subtract, (.duration, .int) where !symbol.isScaling:
            "write \(seconds(other.operand))"
        case (.timestamp, .int): "write timestamp(\(other.operand.text))"
        case (_, .string) where symbol == .add: "write string(\(side.operand.text))"
        case (.int, .string), (.uint, .string), (.double, .string):
            "write \(side.type.word)(\(other.operand.text))"
        default: nil
        }
    }

    private static func seconds(_ operand: Operand) -> String {
        operand.isInteger ? "duration('\(operand.text)s')" : "duration(string(\(operand.text)) + 's')"
    }

    private static func takes(_ symbol: BinaryOperator) -> String {
        switch symbol {
        case .add: "+ takes two of int, uint, double, string, bytes, duration or list, or a timestamp and a duration"
        case .subtract: "- takes two of int, uint, double, timestamp or duration, or a timestamp and a duration"
        case .multiply: "* takes two of int, uint or double, or a duration and an int"
        case .divide: "\(symbol.rawValue) takes two of int, uint or double"
        case .remainder: "% takes two of int or uint"
        case .isIn: "in takes a list or a map on its right"
        case .equal, .notEqual: "they are never the same"
        default:
            "\(symbol.rawValue) takes two numbers, or two of string, bytes, bool, timestamp or duration"
        }
    }
}
