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
