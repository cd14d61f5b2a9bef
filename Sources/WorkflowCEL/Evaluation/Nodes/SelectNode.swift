/// A field of any value: `f(x).name`.
final class SelectNode: Node {
    let operand: any Node
    let field: FieldName

    init(operand: any Node, field: FieldName) {
        self.operand = operand
        self.field = field
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return try field.select(from: operand.value(&frame, host), &frame.budget)
    }
}
