/// The index operators: `a[b]` and `a[?b]`.
final class IndexNode: Node {
    let operand: any Node
    let index: any Node
    let isOptional: Bool
    let range: Range<Int>
    /// The text of the operand.
    let owner: String
    let indexText: String

    init(
        operand: any Node, index: any Node, isOptional: Bool, range: Range<Int>, owner: String, indexText: String
    ) {
        self.operand = operand
        self.index = index
        self.isOptional = isOptional
        self.range = range
        self.owner = owner
        self.indexText = indexText
    }

    func value<Host: Activation>(_ frame: inout Frame, _ host: Host) throws(EvaluationError) -> Value {
        try frame.budget.take(1)
        let operand = try operand.value(&frame, host)
        let index = try index.value(&frame, host)
        if case .optional(let content) = operand {
            guard let content else { return operand }
            return .optional(try find(index, in: content, &frame.budget))
        }
        let found = try find(index, in: operand, &frame.budget)
        if isOptional { return .optional(found) }
        guard let found else { throw try missing(index, in: operand, &frame.budget) }
        return found
    }

    private func find(_ index: Value, in operand: Value, _ budget: inout Budget) throws(EvaluationError) -> Value? {
        switch operand {
        case .map(let map): return try map.value(at: index, &budget)
        case .list(let list):
            guard let place = try place(index, &budget) else { return nil }
            return 0 <= place && place < list.count ? list[place] : nil
        case .null where isOptional: return nil
        default: throw try noOverload(operand, index, &budget)
        }
    }

    /// Returns the index as a number; `nil` for a number that cannot be a list index, such as one beyond `Int`.
    private func place(_ index: Value, _ budget: inout Budget) throws(EvaluationError) -> Int? {
        switch index {
        case .int(let int): return Int(int)
        case .uint(let uint): return Int(exactly: uint)
        case .double(let double):
            if let int = Int(exactly: double) { return int }
        default: break
        }
        try budget.takeMessage()
        let found = if case .double(let double) = index { "\(double)" } else { index.typeName.withArticle }
        throw EvaluationError(
            .invalidIndex, "the index of a list is a whole number, \(indexText) is \(found)", range: range)
    }

    private func missing(
        _ index: Value, in operand: Value, _ budget: inout Budget
    ) throws(EvaluationError) -> EvaluationError {
        switch operand {
        case .list(let list):
            try budget.takeMessage()
            let place = Order(numbers: index, .int(0)) == .before ? "negative" : "too large"
            let count = list.count == 1 ? "1 element" : "\(list.count) elements"
            return EvaluationError(
                .invalidIndex, "no such element: the index \(indexText) is \(place), \(owner) has \(count)",
                discreet: "no such element: the index \(indexText) is \(place) for \(owner)", range: range)
        case .map(let map):
            let key = MapKey(index)
            let name: String? = if case .string(let name)? = key { name } else { nil }
            try budget.takeMessage(parts: MissingKey.cost(name, map))
            let written = name.map { "'\(MissingKey.shortened($0))'" } ?? key?.text ?? index.typeName.withArticle
            return EvaluationError(
                .noSuchKey, MissingKey.message(written, name, in: map, owner),
                discreet: "no such key: \(indexText) in \(owner)", range: range)
        default: return try noOverload(operand, index, &budget)
        }
    }

    private func noOverload(
        _ operand: Value, _ index: Value, _ budget: inout Budget
    ) throws(EvaluationError) -> EvaluationError {
        try budget.takeMessage()
        let advice =
            switch operand {
            case .null: "\(owner) is null, ask \(owner) != null first"
            case .string: "write \(owner).charAt(\(indexText))"
            default: "only lists and maps have elements"
            }
        return EvaluationError(
            .noOverload, "no such overload: \(operand.typeName.word)[\(index.typeName.word)]; \(advice)", range: range)
    }
}
