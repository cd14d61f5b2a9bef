/// A name that a macro binds.
final class LocalNode: Node {
    let slot: Int

    init(slot: Int) {
        self.slot = slot
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        return frame.locals[slot]
    }
}
