/// The macros `map` and `filter`: a list of selected or transformed elements.
final class TransformNode: Node {
    let iteration: Iteration
    /// The condition that selects elements; `nil` for all.
    let condition: Condition?
    /// The transformation of an element; `nil` keeps the element.
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
