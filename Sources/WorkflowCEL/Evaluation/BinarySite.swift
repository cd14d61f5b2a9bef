/// What a node of a binary operator knows of its place.
struct BinarySite: Sendable {
    let symbol: BinaryOperator
    let range: Range<Int>
    let left: Operand
    let right: Operand

    /// What is thrown when the operator does not take these values.
    @inline(never)
    func noOverload(_ leftValue: Value, _ rightValue: Value, _ budget: inout Budget) -> EvaluationError {
        do throws(EvaluationError) {
            try budget.takeMessage()
        } catch {
            return error
        }
        let message = OverloadAdvice.message(symbol, leftValue.typeName, left, rightValue.typeName, right)
        return EvaluationError(.noOverload, message, range: range)
    }
}

/// A part of an expression, as messages speak of it.
struct Operand: Sendable {
    /// As written, `…` when that is long.
    let text: String
    /// Whether it is written out as a number: `1`.
    var isInteger = false
}
