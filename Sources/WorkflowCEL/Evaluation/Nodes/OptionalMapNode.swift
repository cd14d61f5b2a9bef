/// The macros `optMap` and `optFlatMap`, which transform the value of an optional.
final class OptionalMapNode: Node {
    let iteration: Iteration
    let result: any Node
    /// True if the transformation itself returns an optional.
    let isFlat: Bool
    let resultRange: Range<Int>

    init(iteration: Iteration, result: any Node, isFlat: Bool, resultRange: Range<Int>) {
        self.iteration = iteration
        self.result = result
        self.isFlat = isFlat
        self.resultRange = resultRange
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        let operand = try iteration.operand.value(&frame, host)
        guard let content = try OptionalContent.of(operand, iteration.range) else { return operand }
        try iteration.bind(content, &frame)
        let value = try result.value(&frame, host)
        guard isFlat else { return .optional(value) }
        return .optional(try OptionalContent.of(value, resultRange))
    }
}
