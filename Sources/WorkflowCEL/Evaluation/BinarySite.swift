/// The symbol, range and operands of a binary operator.
struct BinarySite: Sendable {
    let symbol: BinaryOperator
    let range: Range<Int>
    let left: Operand
    let right: Operand

    /// Returns the error of an operator that does not accept these operands.
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

/// A part of an expression, described for messages.
struct Operand: Sendable {
    /// The source text; `…` if that is long.
    let text: String
    /// True if the operand is an integer literal: `1`.
    var isInteger = false
}
