/// The logical operators: `a && b && c` and `a || b || c`.
///
/// One decisive term determines the result, wherever it stands and whatever errors the other terms have
/// (https://github.com/google/cel-spec/blob/master/doc/langdef.md, "Logical Operators").
final class LogicNode: Node {
    /// The value of a decisive term: false for `&&`, true for `||`.
    let decisive: Bool
    let terms: [Condition]

    init(decisive: Bool, terms: [Condition]) {
        self.decisive = decisive
        self.terms = terms
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        var failure: EvaluationError?
        for term in terms {
            do throws(EvaluationError) {
                if try term.holds(&frame, host) == decisive { return .bool(decisive) }
            } catch {
                if error.isFinal { throw error }
                if failure == nil { failure = error }
            }
        }
        if let failure { throw failure }
        return .bool(!decisive)
    }
}
