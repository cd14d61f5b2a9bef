/// A variable with the fields that are read from it: `event.data.ok`.
final class PathNode: Node {
    let variable: Int
    let range: Range<Int>
    let fields: [FieldName]

    /// Creates the node of a path.
    ///
    /// - Parameter range: The range of the variable's name.
    init(variable: Int, range: Range<Int>, fields: [FieldName]) {
        self.variable = variable
        self.range = range
        self.fields = fields
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1 + fields.count)
        if let first = fields.first, var value = host.value(ofField: first.name, of: variable) {
            for place in 1..<fields.count { value = try fields[place].select(from: value, &frame.budget) }
            return value
        }
        var value = try host.value(of: variable, at: range, &frame.budget)
        for field in fields { value = try field.select(from: value, &frame.budget) }
        return value
    }
}
