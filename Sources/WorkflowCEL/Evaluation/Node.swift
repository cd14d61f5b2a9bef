/// A part of a compiled expression.
///
/// The activation is a generic parameter, never copied or boxed, so reading a variable costs one call.
protocol Node: AnyObject, Sendable {
    /// Returns the value of the part.
    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value
}

/// The mutable state of an evaluation.
struct Frame {
    var budget: Budget
    /// The values of the names that macros bind, by slot.
    var locals: [Value]
}

extension Frame {
    /// Returns the values of several parts, evaluated in order.
    mutating func values<Host: Activation>(of nodes: [any Node], _ host: Host) throws(EvaluationError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(nodes.count)
        for node in nodes { values.append(try node.value(&self, host)) }
        return values
    }
}
