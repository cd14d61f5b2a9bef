/// The ordering operators: `a < b`, `a <= b`, `a > b`, `a >= b`.
final class OrderingNode: Node {
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
        if case .int(let leftInt) = left, case .int(let rightInt) = right {
            return .bool(site.symbol.holds(Order(leftInt, rightInt)))
        }
        do throws(EvaluationError) {
            guard let order = try Order(left, right, &frame.budget) else {
                throw site.noOverload(left, right, &frame.budget)
            }
            return .bool(site.symbol.holds(order))
        } catch {
            throw error.at(site.range)
        }
    }
}
