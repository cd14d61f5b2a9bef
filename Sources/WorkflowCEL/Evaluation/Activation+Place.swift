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
