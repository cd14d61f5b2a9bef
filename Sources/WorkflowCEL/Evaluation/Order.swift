/// The result of comparing two values.
enum Order {
    case before, same, after
    /// An operand is not a number (NaN), so no order holds.
    case none

    init<Operand: Comparable>(_ left: Operand, _ right: Operand) {
        self = left < right ? .before : left == right ? .same : left > right ? .after : .none
    }

    /// Compares two numbers, also of different types; `nil` if a value is not a number.
    ///
    /// Beside a double, an integer counts as the nearest double.
    init?(numbers left: Value, _ right: Value) {
        switch (left, right) {
        case (.int(let left), .int(let right)): self.init(left, right)
        case (.uint(let left), .uint(let right)): self.init(left, right)
        case (.double(let left), .double(let right)): self.init(left, right)
        case (.int(let left), .uint(let right)): self = left < 0 ? .before : Order(UInt64(left), right)
        case (.uint(let left), .int(let right)): self = right < 0 ? .after : Order(left, UInt64(right))
        case (.int(let left), .double(let right)): self.init(Double(left), right)
        case (.double(let left), .int(let right)): self.init(left, Double(right))
        case (.uint(let left), .double(let right)): self.init(Double(left), right)
        case (.double(let left), .uint(let right)): self.init(left, Double(right))
        default: return nil
        }
    }

    /// Compares two values; `nil` if values of these types have no order.
    init?(_ left: Value, _ right: Value, _ budget: inout Budget) throws(EvaluationError) {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            try budget.take(min(left.utf8.count, right.utf8.count) / 64)
            self = Self.ofBytes(left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)):
            try budget.take(min(left.count, right.count) / 64)
            self = Self.ofBytes(left, right)
        case (.timestamp(let left), .timestamp(let right)): self.init(left, right)
        case (.duration(let left), .duration(let right)): self.init(left, right)
        case (.bool(let left), .bool(let right)): self = left == right ? .same : right ? .before : .after
        default: self.init(numbers: left, right)
        }
    }

    /// Compares UTF-8 bytes, whose order is the order of code points.
    private static func ofBytes(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Order {
        if left.lexicographicallyPrecedes(right) { return .before }
        return left.count == right.count && left.elementsEqual(right) ? .same : .after
    }
}

extension BinaryOperator {
    /// Returns true if this ordering operator holds.
    @inline(__always)
    func holds(_ order: Order) -> Bool {
        switch self {
        case .less: order == .before
        case .lessOrEqual: order == .before || order == .same
        case .greater: order == .after
        case .greaterOrEqual: order == .after || order == .same
        default: false
        }
    }
}
