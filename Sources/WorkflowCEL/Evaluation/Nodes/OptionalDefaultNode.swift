/// The calls `a.orValue(b)` and `a.or(b)`. The argument is evaluated only if `a` has no value.
final class OptionalDefaultNode: Node {
    let operand: any Node
    let other: any Node
    /// True if the result is an optional: `or`.
    let isOptional: Bool
    let site: CallSite

    init(operand: any Node, other: any Node, isOptional: Bool, site: CallSite) {
        self.operand = operand
        self.other = other
        self.isOptional = isOptional
        self.site = site
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let value = try operand.value(&frame, host)
        guard case .optional(let content) = value else { throw noOverload(value) }
        if let content { return isOptional ? value : content }
        let other = try other.value(&frame, host)
        if isOptional {
            guard case .optional = other else { throw noOverload(other) }
        }
        return other
    }

    private func noOverload(_ value: Value) -> EvaluationError {
        EvaluationError(.noOverload, site.notOptional(value.typeName), range: site.range)
    }
}
