/// A list literal: `[a, ?b]`.
final class ListNode: Node {
    struct Element: Sendable {
        let node: any Node
        let isOptional: Bool
        let range: Range<Int>
    }

    let elements: [Element]

    init(elements: [Element]) {
        self.elements = elements
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1 + elements.count)
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            let value = try element.node.value(&frame, host)
            if !element.isOptional {
                values.append(value)
            } else if let content = try OptionalContent.of(value, element.range) {
                values.append(content)
            }
        }
        return .list(.values(values))
    }
}
