/// The operators `+`, `-`, `*`, `/` and `%`. A result that does not fit its type is an error.
enum Arithmetic {
    /// Returns the result; `nil` if the operator does not accept operands of these types.
    static func result(
        _ symbol: BinaryOperator, _ left: Value, _ right: Value, _ budget: inout Budget
    ) throws(EvaluationError) -> Value? {
        switch (left, right) {
        case (.int(let left), .int(let right)): .int(try integer(symbol, left, right))
        case (.uint(let left), .uint(let right)): .uint(try integer(symbol, left, right))
        case (.double(let left), .double(let right)): double(symbol, left, right).map { .double($0) }
        default:
            switch symbol {
            case .add: try sum(left, right, &budget)
            case .subtract: try difference(left, right)
            case .multiply: try product(left, right)
            default: nil
            }
        }
    }

    private static func integer<Number: FixedWidthInteger>(
        _ symbol: BinaryOperator, _ left: Number, _ right: Number
    ) throws(EvaluationError) -> Number {
        if symbol == .divide || symbol == .remainder, right == 0 {
            throw EvaluationError(.divideByZero, "division by zero")
        }
        let (result, overflow) =
            switch symbol {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            default: left.remainderReportingOverflow(dividingBy: right)
            }
        guard !overflow else { throw overflowed(Number.isSigned) }
        return result
    }

    private static func overflowed(_ isSigned: Bool) -> EvaluationError {
        EvaluationError(.overflow, "the result does not fit \(isSigned ? "an int" : "a uint")")
    }

    private static func double(_ symbol: BinaryOperator, _ left: Double, _ right: Double) -> Double? {
        switch symbol {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        default: nil
        }
    }

    private static func sum(
        _ left: Value, _ right: Value, _ budget: inout Budget
    ) throws(EvaluationError) -> Value? {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            try budget.take(bytes: left.utf8.count + right.utf8.count)
            return .string(left + right)
        case (.bytes(let left), .bytes(let right)):
            try budget.take(bytes: left.count + right.count)
            return .bytes(left + right)
        case (.list(let left), .list(let right)): return .list(try sum(left, right, &budget))
        case (.timestamp(let left), .duration(let right)): return .timestamp(try TimeSpan.sum(left, right))
        case (.duration(let left), .timestamp(let right)): return .timestamp(try TimeSpan.sum(right, left))
        case (.duration(let left), .duration(let right)): return .duration(try TimeSpan.sum(left, right))
        default: return nil
        }
    }

    private static func sum(
        _ left: ListValue, _ right: ListValue, _ budget: inout Budget
    ) throws(EvaluationError) -> ListValue {
        guard left.count > 0 else { return right }
        guard right.count > 0 else { return left }
        try budget.take(left.count + right.count)
        if case (.json(let left), .json(let right)) = (left, right) { return .json(left + right) }
        return .values(left.elements + right.elements)
    }

    private static func difference(_ left: Value, _ right: Value) throws(EvaluationError) -> Value? {
        switch (left, right) {
        case (.timestamp(let left), .timestamp(let right)): .duration(try TimeSpan.difference(left, right))
        case (.timestamp(let left), .duration(let right)): .timestamp(try TimeSpan.difference(left, right))
        case (.duration(let left), .duration(let right)): .duration(try TimeSpan.difference(left, right))
        default: nil
        }
    }

    /// Returns the product of a duration and a number.
    private static func product(_ left: Value, _ right: Value) throws(EvaluationError) -> Value? {
        switch (left, right) {
        case (.duration(let duration), .int(let count)), (.int(let count), .duration(let duration)):
            .duration(try TimeSpan.product(duration, count))
        default: nil
        }
    }

    /// Returns the negated number; `nil` for a value that cannot be negated.
    static func negated(_ value: Value) throws(EvaluationError) -> Value? {
        switch value {
        case .int(let int):
            let (result, overflow) = Int64(0).subtractingReportingOverflow(int)
            guard !overflow else { throw overflowed(true) }
            return .int(result)
        case .double(let double): return .double(-double)
        default: return nil
        }
    }
}

extension ListValue {
    /// All elements as values.
    var elements: [Value] {
        switch self {
        case .values(let values): values
        case .json(let elements): elements.map { Value($0) }
        }
    }
}
