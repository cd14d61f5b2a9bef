/// A part that must be true or false.
final class Condition: Sendable {
    let node: any Node
    let range: Range<Int>
    let written: Operand

    init(node: any Node, range: Range<Int>, written: Operand) {
        self.node = node
        self.range = range
        self.written = written
    }

    /// Returns the value of the part; any value other than a bool is an error.
    @inline(__always)
    func holds<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Bool {
        let value = try node.value(&frame, host)
        guard case .bool(let bool) = value else { throw notBool(value, &frame.budget) }
        return bool
    }

    @inline(never)
    private func notBool(_ value: Value, _ budget: inout Budget) -> EvaluationError {
        do throws(EvaluationError) {
            try budget.takeMessage()
        } catch {
            return error.at(range)
        }
        return EvaluationError(.noOverload, OverloadAdvice.notBool(value.typeName, written), range: range)
    }
}
