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
