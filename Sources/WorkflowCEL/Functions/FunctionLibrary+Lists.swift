extension FunctionLibrary {
    /// The functions that create lists from lists.
    static let listFunctions: [Overload] = [
        .native(.member, "reverse") { (list: ListValue, budget) throws(EvaluationError) -> ListValue in
            try budget.take(list.count)
            switch list {
            case .values(let values): return .values(values.reversed())
            case .json(let elements): return .json(elements.reversed())
            }
        },
        .native(.member, "slice") {
            (list: ListValue, from: Int64, to: Int64, budget) throws(EvaluationError) -> ListValue in
            guard 0 <= from, from <= to, to <= list.count else {
                throw EvaluationError(
                    .invalidIndex, "a slice from \(from) to \(to) is not within the list of \(list.count) elements")
            }
            try budget.take(Int(to - from))
            return list.picking(Int(from)..<Int(to))
        },
        .native(.member, "flatten") { (list: ListValue, budget) throws(EvaluationError) in
            try flattened(list, depth: 1, &budget)
        },
        .native(.member, "flatten") { (list: ListValue, depth: Int64, budget) throws(EvaluationError) in
            try flattened(list, depth: depth, &budget)
        },
        .native(.member, "distinct") { (list: ListValue, budget) throws(EvaluationError) in
            var seen = DistinctElements()
            var kept: [Int] = []
            for index in 0..<list.count where try seen.insert(list[index], &budget) { kept.append(index) }
            return kept.count == list.count ? list : list.picking(kept)
        },
        .native(.member, "sort") { (list: ListValue, budget) throws(EvaluationError) in
            try sorted(list, &budget)
        },
        .native(.function, "lists.range", gives: .list(.int)) { (count: Int64, budget) throws(EvaluationError) in
            guard count >= 0 else {
                throw EvaluationError(.invalidArgument, "lists.range takes a count of at least 0, not \(count)")
            }
            try budget.take(Int(count))
            return ListValue.values((0..<count).map { .int($0) })
        },
    ]

    private static func flattened(
        _ list: ListValue, depth: Int64, _ budget: inout Budget
    ) throws(EvaluationError) -> ListValue {
        guard depth >= 0 else {
            throw EvaluationError(.invalidArgument, "flatten takes a depth of at least 0, not \(depth)")
        }
        var values: [Value] = []
        try flatten(list, depth, into: &values, &budget)
        return .values(values)
    }

    private static func flatten(
        _ list: ListValue, _ depth: Int64, into values: inout [Value], _ budget: inout Budget
    ) throws(EvaluationError) {
        try budget.take(1 + list.count)
        for index in 0..<list.count {
            if depth > 0, case .list(let inner) = list[index] {
                try flatten(inner, depth - 1, into: &values, &budget)
            } else {
                values.append(list[index])
            }
        }
    }
}

extension FunctionLibrary {
    private static func sorted(_ list: ListValue, _ budget: inout Budget) throws(EvaluationError) -> ListValue {
        guard list.count > 0 else { return list }
        try budget.take(list.count)
        var cost = 0
        for index in 0..<list.count {
            let element = list[index]
            guard let kind = sortKind(element) else {
                let found = "element \(index) is \(element.typeName.withArticle)"
                throw EvaluationError(.noOverload, "sort takes elements that have an order; \(found)")
            }
            guard kind == sortKind(list[0]) else {
                let (first, other) = (list[0].typeName.withArticle, element.typeName.withArticle)
                throw EvaluationError(
                    .noOverload, "sort takes elements of one type; element 0 is \(first), element \(index) is \(other)")
            }
            cost += sortCost(element)
        }
        // Sorting compares each element about log n times.
        try budget.take(cost * (Int.bitWidth - list.count.leadingZeroBitCount))
        return .values((0..<list.count).map { list[$0] }.sorted(by: precedes))
    }

    /// Returns the kind that all elements of a sorted list must share; `nil` for values without an order.
    private static func sortKind(_ value: Value) -> TypeName? {
        switch value {
        case .int, .uint, .double: .double
        case .bool, .string, .bytes, .timestamp, .duration: value.typeName
        case .null, .list, .map, .type, .optional: nil
        }
    }

    private static func sortCost(_ value: Value) -> Int {
        switch value {
        case .string(let string): 1 + string.utf8.count / 64
        case .bytes(let bytes): 1 + bytes.count / 64
        default: 1
        }
    }

    /// Returns the order of two values of a sorted list. NaN comes last.
    private static func precedes(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.timestamp(let left), .timestamp(let right)): left < right
        case (.duration(let left), .duration(let right)): left < right
        default: Order(numbers: left, right) == .before || isNaN(right) && !isNaN(left)
        }
    }

    private static func isNaN(_ value: Value) -> Bool {
        if case .double(let double) = value { double.isNaN } else { false }
    }
}

extension ListValue {
    /// Returns the elements at the given indices.
    fileprivate func picking(_ places: some Sequence<Int>) -> ListValue {
        switch self {
        case .values(let values): .values(places.map { values[$0] })
        case .json(let elements): .json(places.map { elements[$0] })
        }
    }
}
