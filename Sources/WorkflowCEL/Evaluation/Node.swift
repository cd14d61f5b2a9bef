/// A part of a compiled expression.
///
/// The activation is passed along as a generic parameter, never copied or boxed: reading a variable costs one call.
protocol Node: AnyObject, Sendable {
    /// The part's value.
    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value
}

/// What changes during an evaluation.
struct Frame {
    var budget: Budget
    /// The values of the names that macros bind, by slot.
    var locals: [Value]
}

extension Frame {
    /// The values of several parts, from the first to the last.
    mutating func values<Host: Activation>(of nodes: [any Node], _ host: Host) throws(EvaluationError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(nodes.count)
        for node in nodes { values.append(try node.value(&self, host)) }
        return values
    }
}
