import WorkflowJSON

/// A cache of bounded cost with two generations of entries. When the younger generation has filled half of the bound,
/// the older is dropped whole. Entries in use stay; every operation is O(1).
struct GenerationCache<Key: Hashable, Value> {
    private let bound: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngCost = 0

    /// - Parameter bound: The greatest sum of costs, in the unit of `insert`.
    init(bound: Int) {
        self.bound = bound
    }

    /// Returns the value of a key and keeps the value in the cache.
    mutating func value(for key: Key, cost: (Value) -> Int) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        young[key] = value
        youngCost += cost(value)
        return value
    }

    /// Inserts a value. The cache drops nothing before the next `trim`.
    ///
    /// - Parameter cost: The cost of the value; computed only for a new key.
    mutating func insert(_ value: Value, for key: Key, cost: @autoclosure () -> Int) {
        if young.updateValue(value, forKey: key) != nil { return }
        old[key] = nil
        youngCost += cost()
    }

    /// Adds cost for values that were inserted or requested since the last `trim` and have grown.
    mutating func grow(by cost: Int) { youngCost = max(0, youngCost + cost) }

    /// Drops the older generation if the younger fills its half. Values inserted or requested since the last call stay.
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

extension GenerationCache: Sendable where Key: Sendable, Value: Sendable {}

extension JSONValue {
    /// The approximate number of bytes that the value takes in memory.
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
