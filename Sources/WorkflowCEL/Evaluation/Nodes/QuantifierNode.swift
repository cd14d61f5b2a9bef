/// The macros `all` and `exists`: `&&` and `||` over the elements.
final class QuantifierNode: Node {
    let iteration: Iteration
    let condition: Condition
    /// The value of a decisive condition: false for `all`, true for `exists`.
    let decisive: Bool

    init(iteration: Iteration, condition: Condition, decisive: Bool) {
        self.iteration = iteration
        self.condition = condition
        self.decisive = decisive
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        let elements = try iteration.elements(&frame, host)
        var failure: EvaluationError?
        for index in 0..<elements.count {
            try iteration.bind(elements[index], &frame)
            do throws(EvaluationError) {
                if try condition.holds(&frame, host) == decisive { return .bool(decisive) }
            } catch {
                if error.isFinal { throw error }
                if failure == nil { failure = error }
            }
        }
        if let failure { throw failure }
        return .bool(!decisive)
    }
}
