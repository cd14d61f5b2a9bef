/// The host's side of an evaluation: the values of an `Environment`'s variables and functions, by number.
package protocol Activation {
    /// Returns the value of a variable.
    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value

    /// Returns a field of a variable if that is cheaper than the whole variable; `nil` otherwise, or if there is no
    /// such field. The result equals the selection of the field from the variable's value.
    func value(ofField field: String, of variable: Int) -> Value?

    /// Returns the result of a function.
    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value
}

extension Activation {
    /// Returns `nil`, because reading the whole variable is cheap.
    package func value(ofField field: String, of variable: Int) -> Value? { nil }
}

extension Activation {
    /// Returns the value of a variable. An error gets the range of the variable, even if the host's error has a range
    /// in another text.
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
