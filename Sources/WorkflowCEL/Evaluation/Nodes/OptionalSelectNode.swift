/// The selection `a.?b`: an optional with the field, or an empty optional.
final class OptionalSelectNode: Node {
    let operand: any Node
    let field: FieldName

    init(operand: any Node, field: FieldName) {
        self.operand = operand
        self.field = field
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return .optional(try field.find(in: operand.value(&frame, host), &frame.budget))
    }
}
