/// A part that always fails: what stands for a mistake when an expression is not checked.
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
