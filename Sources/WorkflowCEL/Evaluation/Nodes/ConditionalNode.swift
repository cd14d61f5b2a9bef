/// The conditional operator: `a ? b : c`.
final class ConditionalNode: Node {
    let condition: Condition
    let first: any Node
    let second: any Node

    init(condition: Condition, first: any Node, second: any Node) {
        self.condition = condition
        self.first = first
        self.second = second
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return try condition.holds(&frame, host) ? first.value(&frame, host) : second.value(&frame, host)
    }
}
