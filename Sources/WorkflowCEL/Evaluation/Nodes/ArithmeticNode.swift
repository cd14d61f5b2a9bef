/// The arithmetic operators: `a + b`, `a - b`, `a * b`, `a / b`, `a % b`.
final class ArithmeticNode: Node {
    let site: BinarySite
    let left: any Node
    let right: any Node

    init(site: BinarySite, left: any Node, right: any Node) {
        self.site = site
        self.left = left
        self.right = right
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let left = try left.value(&frame, host)
        let right = try right.value(&frame, host)
        let result: Value?
        do throws(EvaluationError) {
            result = try Arithmetic.result(site.symbol, left, right, &frame.budget)
        } catch {
            throw error.at(site.range)
        }
        guard let result else { throw site.noOverload(left, right, &frame.budget) }
        return result
    }
}
