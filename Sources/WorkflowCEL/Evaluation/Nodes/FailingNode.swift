/// A part that always fails: the substitute for a mistake in an unchecked expression.
final class FailingNode: Node {
    let error: EvaluationError

    init(_ error: EvaluationError) {
        self.error = error
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        throw error
    }
}
