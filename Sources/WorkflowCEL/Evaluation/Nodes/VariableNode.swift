/// A variable of the host.
final class VariableNode: Node {
    let variable: Int
    let range: Range<Int>

    init(variable: Int, range: Range<Int>) {
        self.variable = variable
        self.range = range
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return try host.value(of: variable, at: range, &frame.budget)
    }
}
