/// The sequence that a macro iterates over: the elements of a list or the keys of a map.
enum Elements {
    case list(ListValue)
    case keys(MapValue)

    init(_ value: Value, _ operand: Operand, _ range: Range<Int>, _ budget: inout Budget) throws(EvaluationError) {
        switch value {
        case .list(let list): self = .list(list)
        case .map(let map): self = .keys(map)
        default:
            try budget.takeMessage()
            let advice = if case .null = value { "; ask \(operand.text) != null first" } else { "" }
            throw EvaluationError(
                .noOverload,
                "expected a list or a map, but \(operand.text) is \(value.typeName.withArticle)\(advice)",
                range: range)
        }
    }

    var count: Int {
        switch self {
        case .list(let list): list.count
        case .keys(let map): map.count
        }
    }

    subscript(index: Int) -> Value {
        switch self {
        case .list(let list): list[index]
        case .keys(let map): map[index].key.value
        }
    }
}
