import Testing
import WorkflowJSON

// Testable: overloads are internal, and each is tested here by itself, below the evaluator.
@testable import WorkflowCEL

/// Calls library functions by name, with values in place of expressions.
enum LibraryCall {
    /// Returns the result of the overload for these arguments, written as an expression: `3`, `3u`, `3.0`, `"a"`, `[1,
    /// 2]`.
    ///
    /// A function of one name may be called as a member or not; members come first.
    static func answer(_ name: String, _ arguments: Value...) throws -> String {
        var budget = Budget()
        let overload = try #require(Self.overload(name, arguments))
        return literal(try overload.call(arguments, &budget))
    }

    /// Returns the message of the error that the call throws; its result if it does not throw.
    static func failure(_ name: String, _ arguments: Value..., steps: Int = CELLimits.evaluation) -> String {
        guard let overload = overload(name, arguments) else { return "no overload" }
        var budget = Budget(steps)
        do throws(EvaluationError) {
            return literal(try overload.call(arguments, &budget))
        } catch {
            return error.message
        }
    }

    /// Returns the units that the call costs.
    static func cost(_ name: String, _ arguments: Value...) throws -> Int {
        let overload = try #require(Self.overload(name, arguments))
        var budget = Budget(.max)
        _ = try overload.call(arguments, &budget)
        return .max - budget.remaining
    }

    /// Returns the overload that accepts values of these types.
    static func overload(_ name: String, _ arguments: [Value]) -> Overload? {
        let fitting = FunctionLibrary.overloads.filter { overload in
            overload.name == name && overload.parameters.count == arguments.count
                && zip(overload.parameters, arguments).allSatisfy { accepts($0, $1) }
        }
        return fitting.first { $0.isMember } ?? fitting.first
    }

    private static func accepts(_ type: CELType, _ value: Value) -> Bool {
        switch (type, value) {
        case (.dyn, _), (.null, .null), (.bool, .bool), (.int, .int), (.uint, .uint), (.double, .double),
            (.string, .string), (.bytes, .bytes), (.list, .list), (.map, .map), (.timestamp, .timestamp),
            (.duration, .duration), (.type, .type), (.optional, .optional):
            true
        default: false
        }
    }

    /// Returns the value as an expression would write it.
    static func literal(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .int(let int): "\(int)"
        case .uint(let uint): "\(uint)u"
        case .double(let double): double.isNaN ? "nan" : "\(double)"
        case .string(let string): "\"\(string)\""
        case .bytes(let bytes): "\(bytes)"
        case .list(let list): "[" + (0..<list.count).map { literal(list[$0]) }.joined(separator: ", ") + "]"
        case .map(let map): "\((0..<map.count).map { (map[$0].key, literal(map[$0].value)) })"
        case .timestamp(let moment): moment.text
        case .duration(let duration): TimeSpan.text(duration)
        case .type(let type): type.rawValue
        case .optional(let value): value.map { "optional(\(literal($0)))" } ?? "none"
        }
    }
}

extension Value {
    /// Returns a list as an expression makes it.
    static func values(_ values: Value...) -> Value { .list(.values(values)) }

    /// Returns a value that came from JSON.
    static func json(_ json: JSONValue) -> Value { Value(json) }

    /// Returns a time in the form of RFC 3339.
    static func moment(_ text: String) throws -> Value { .timestamp(try Timestamp(text: text)) }

    /// Returns a duration in the form of the language.
    static func span(_ text: String) throws -> Value { .duration(try TimeSpan.read(text)) }
}
