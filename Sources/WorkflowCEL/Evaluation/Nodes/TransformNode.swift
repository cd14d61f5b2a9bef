/// `map` and `filter`: a list of those elements, or of what is made of them.
final class TransformNode: Node {
    let iteration: Iteration
    /// Which elements; nil for all.
    let condition: Condition?
    /// What is made of an element; nil for itself.
    let result: (any Node)?

    init(iteration: Iteration, condition: Condition?, result: (any Node)?) {
        self.iteration = iteration
        self.condition = condition
        self.result = result
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        let elements = try iteration.elements(&frame, host)
        var values: [Value] = []
        for index in 0..<elements.count {
            let element = elements[index]
            try iteration.bind(element, &frame)
            if let condition, try !condition.holds(&frame, host) { continue }
            try frame.budget.take(1)
            values.append(try result?.value(&frame, host) ?? element)
        }
        return .list(.values(values))
    }
}
