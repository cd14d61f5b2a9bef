extension Value {
    /// Returns true if both values are equal. Numbers are equal by numeric value across types. Other values of
    /// different types are never equal (https://github.com/google/cel-spec/blob/master/doc/langdef.md, "Equality").
    func isEqual(to other: Value, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.string(let left), .string(let right)): try left.hasSameBytes(as: right, &budget)
        case (.bytes(let left), .bytes(let right)): try left.hasSameBytes(as: right, &budget)
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.type(let left), .type(let right)): left == right
        case (.list(let left), .list(let right)): try left.isEqual(to: right, &budget)
        case (.map(let left), .map(let right)): try left.isEqual(to: right, &budget)
        case (.optional(let left), .optional(let right)): try Self.areEqual(left, right, &budget)
        default: Order(numbers: self, other) == .same
        }
    }

    private static func areEqual(
        _ left: Value?, _ right: Value?, _ budget: inout Budget
    ) throws(EvaluationError) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        try budget.take(1)
        return try left.isEqual(to: right, &budget)
    }
}

extension ListValue {
    fileprivate func isEqual(to other: ListValue, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            try budget.take(1)
            guard try self[index].isEqual(to: other[index], &budget) else { return false }
        }
        return true
    }
}

extension MapValue {
    /// Returns true if both maps are equal. The entries of both are sorted by key.
    fileprivate func isEqual(to other: MapValue, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            let (entry, counterpart) = (self[index], other[index])
            try budget.take(2)
            guard try entry.key.value.isEqual(to: counterpart.key.value, &budget),
                try entry.value.isEqual(to: counterpart.value, &budget)
            else { return false }
        }
        return true
    }
}

extension String {
    /// Returns true if both strings have the same bytes; `==` tests Unicode equivalence.
    func hasSameBytes(as other: String, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        try budget.take(utf8.count / 64)
        return utf8.elementsEqual(other.utf8)
    }
}

extension [UInt8] {
    fileprivate func hasSameBytes(as other: [UInt8], _ budget: inout Budget) throws(EvaluationError) -> Bool {
        guard count == other.count else { return false }
        try budget.take(count / 64)
        return self == other
    }
}
