/// The negation `-a`.
final class NegationNode: Node {
    let operand: any Node
    let written: Operand
    let range: Range<Int>

    init(operand: any Node, written: Operand, range: Range<Int>) {
        self.operand = operand
        self.written = written
        self.range = range
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let value = try operand.value(&frame, host)
        do throws(EvaluationError) {
            if let result = try Arithmetic.negated(value) { return result }
        } catch {
            throw error.at(range)
        }
        try frame.budget.takeMessage()
        throw EvaluationError(.noOverload, OverloadAdvice.noNegation(value.typeName, written), range: range)
    }
}
