/// The host's side of an evaluation: the values behind the variables and functions of an `Environment`, by number.
package protocol Activation {
    /// The value of a variable.
    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value

    /// What a function answers.
    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value
}
