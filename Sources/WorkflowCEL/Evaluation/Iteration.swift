/// The common part of all macro nodes.
struct Iteration: Sendable {
    let operand: any Node
    let range: Range<Int>
    let written: Operand
    /// The slot of the element.
    let slot: Int

    func elements<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Elements {
        try frame.budget.take(1)
        return try Elements(operand.value(&frame, host), written, range, &frame.budget)
    }

    func bind(_ value: Value, _ frame: inout Frame) throws(EvaluationError) {
        try frame.budget.take(1)
        frame.locals[slot] = value
    }
}
