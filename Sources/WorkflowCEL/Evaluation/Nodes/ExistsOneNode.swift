/// The macro `exists_one`, which tests every element and ignores no error.
final class ExistsOneNode: Node {
    let iteration: Iteration
    let condition: Condition

    init(iteration: Iteration, condition: Condition) {
        self.iteration = iteration
        self.condition = condition
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        let elements = try iteration.elements(&frame, host)
        var count = 0
        for index in 0..<elements.count {
            try iteration.bind(elements[index], &frame)
            if try condition.holds(&frame, host) { count += 1 }
        }
        return .bool(count == 1)
    }
}
