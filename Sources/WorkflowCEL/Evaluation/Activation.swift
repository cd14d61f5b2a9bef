/// The host's side of an evaluation: the values behind the variables and functions of an `Environment`, by number.
package protocol Activation {
    /// The value of a variable.
    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value

    /// A field of a variable, where that is cheaper than the whole variable; nil where it is not, or where there is no
    /// such field. What it gives is what selecting the field from the variable's value would give.
    func value(ofField field: String, of variable: Int) -> Value?

    /// What a function answers.
    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value
}

extension Activation {
    /// Nil: the whole variable is cheap.
    package func value(ofField field: String, of variable: Int) -> Value? { nil }
}

extension Activation {
    /// The value of a variable. What fails behind it failed here, whatever place of another text the error names.
    func value(
        of variable: Int, at range: Range<Int>, _ budget: inout Budget
    ) throws(EvaluationError) -> Value {
        do throws(EvaluationError) {
            return try value(of: variable, &budget)
        } catch {
            throw error.moved(to: range)
        }
    }
}
