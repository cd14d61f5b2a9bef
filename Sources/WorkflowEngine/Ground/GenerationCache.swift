import WorkflowJSON

/// A cache bounded in cost: two generations of entries, of which the older is dropped whole when the younger has filled
/// half of the bound. What is used stays; every operation is O(1).
struct GenerationCache<Key: Hashable, Value> {
    private let bound: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngCost = 0

    /// - Parameter bound: The greatest sum of costs, in the unit of `insert`.
    init(bound: Int) {
        self.bound = bound
    }

    /// The value of a key; asking for it keeps it.
    mutating func value(for key: Key, cost: (Value) -> Int) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        young[key] = value
        youngCost += cost(value)
        return value
    }

    /// Nothing is dropped before the next `trim`.
    ///
    /// - Parameter cost: Asked for when the key is new.
    mutating func insert(_ value: Value, for key: Key, cost: @autoclosure () -> Int) {
        if young.updateValue(value, forKey: key) != nil { return }
        old[key] = nil
        youngCost += cost()
    }

    /// Values that were inserted or asked for since the last `trim` cost so much more than was said.
    mutating func grow(by cost: Int) { youngCost = max(0, youngCost + cost) }

    /// Drops the older generation when the younger fills its half. What was inserted or asked for since the last call
    /// stays.
    mutating func trim() {
        guard youngCost > bound / 2 else { return }
        old = young
        young = [:]
        youngCost = 0
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }
}

extension JSONValue {
    /// Roughly the bytes that the value takes in memory.
    var size: Int {
        let fixed = 32
        return switch self {
        case .null, .bool, .int, .double: fixed
        case .string(let string): fixed + string.utf8.count
        case .array(let elements): elements.reduce(fixed) { $0 + $1.size }
        case .object(let object): object.members.reduce(fixed) { $0 + fixed + $1.key.utf8.count + $1.value.size }
        }
    }
}
