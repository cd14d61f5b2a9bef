extension FunctionLibrary {
    /// The functions `math.greatest` and `math.least` for one to eight numbers, or a list of any length.
    ///
    /// Overloads with a single number type come first, so that the result type is known if possible.
    static let extremeFunctions: [Overload] =
        extremes("math.greatest", .after) + extremes("math.least", .before)

    /// Returns the overloads of one of the two functions.
    ///
    /// - Parameter wanted: The order of the result relative to the other numbers.
    private static func extremes(_ name: String, _ wanted: Order) -> [Overload] {
        let types: [CELType] = [.int, .uint, .double]
        let lists: [Overload] = (types + [.dyn]).map { type in
            .native(.function, name, takes: [.list(type)], gives: type) {
                (list: ListValue, budget) throws(EvaluationError) -> Value in
                try extreme(name, list, wanted, &budget)
            }
        }
        let numbers: [Overload] = (types + [.dyn]).flatMap { type in
            (1...8).map { count in
                .function(name, Array(repeating: type, count: count), type) { values, budget throws(EvaluationError) in
                    if values.count == 1, case .list(let list) = values[0] {
                        return try extreme(name, list, wanted, &budget)
                    }
                    return try extreme(name, .values(values), wanted, &budget)
                }
            }
        }
        return lists + numbers
    }

    private static func extreme(
        _ name: String, _ numbers: ListValue, _ wanted: Order, _ budget: inout Budget
    ) throws(EvaluationError) -> Value {
        try budget.take(numbers.count)
        guard numbers.count > 0 else {
            throw EvaluationError(.invalidArgument, "\(name) takes at least one number; the list is empty")
        }
        var best = numbers[0]
        for index in 0..<numbers.count {
            let next = numbers[index]
            guard let order = Order(numbers: next, best) else {
                let other = [best, next].first { Order(numbers: $0, $0) == nil } ?? next
                throw EvaluationError(.noOverload, "\(name) takes numbers, not \(other.typeName.withArticle)")
            }
            guard order != .none else {
                throw EvaluationError(.invalidArgument, "\(name) cannot compare NaN with a number")
            }
            if order == wanted { best = next }
        }
        return best
    }
}
