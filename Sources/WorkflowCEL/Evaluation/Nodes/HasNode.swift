/// The macro `has(a.b)`.
final class HasNode: Node {
    let operand: any Node
    let field: FieldName

    init(operand: any Node, field: FieldName) {
        self.operand = operand
        self.field = field
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return .bool(try field.find(in: operand.value(&frame, host), &frame.budget) != nil)
    }
}
