/// The logical negation `!a`.
final class NotNode: Node {
    let operand: Condition

    init(operand: Condition) {
        self.operand = operand
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return .bool(try !operand.holds(&frame, host))
    }
}
