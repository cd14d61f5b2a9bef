/// A constant value.
final class ConstantNode: Node {
    let constant: Value

    init(_ constant: Value) {
        self.constant = constant
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        constant
    }
}
