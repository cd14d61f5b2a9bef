/// The operator `a in b`: an element of a list, or a key of a map.
final class MembershipNode: Node {
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
        let element = try left.value(&frame, host)
        let container = try right.value(&frame, host)
        do throws(EvaluationError) {
            switch container {
            case .list(let list): return .bool(try list.contains(element, &frame.budget))
            case .map(let map): return .bool(try map.value(at: element, &frame.budget) != nil)
            default: throw site.noOverload(element, container, &frame.budget)
            }
        } catch {
            throw error.at(site.range)
        }
    }
}

extension ListValue {
    fileprivate func contains(_ element: Value, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        for index in 0..<count {
            try budget.take(1)
            if try self[index].isEqual(to: element, &budget) { return true }
        }
        return false
    }
}
