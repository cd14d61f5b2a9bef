/// The equality operators: `a == b`, `a != b`.
final class EqualityNode: Node {
    let isNegated: Bool
    let range: Range<Int>
    let left: any Node
    let right: any Node

    init(isNegated: Bool, range: Range<Int>, left: any Node, right: any Node) {
        self.isNegated = isNegated
        self.range = range
        self.left = left
        self.right = right
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let left = try left.value(&frame, host)
        let right = try right.value(&frame, host)
        do throws(EvaluationError) {
            return .bool(try left.isEqual(to: right, &frame.budget) != isNegated)
        } catch {
            throw error.at(range)
        }
    }
}
