package import WorkflowJSON

/// A map: made by an expression, or part of a JSON document. Its entries are in the order of their keys: first `false`
/// and `true`, then numbers, then strings by their UTF-8 bytes.
package enum MapValue: Sendable {
    /// Sorted by key, each key once.
    case entries([Entry])
    case json(JSONObject)

    /// A key and its value.
    package struct Entry: Sendable {
        package let key: MapKey
        package let value: Value

        package init(key: MapKey, value: Value) {
            self.key = key
            self.value = value
        }
    }

    package var count: Int {
        switch self {
        case .entries(let entries): entries.count
        case .json(let object): object.count
        }
    }

    /// The entry at a place in the order of keys.
    ///
    /// - Precondition: `0 <= index && index < count`.
    package subscript(index: Int) -> Entry {
        switch self {
        case .entries(let entries): return entries[index]
        case .json(let object):
            let member = object.members[index]
            return Entry(key: .string(member.key), value: Value(member.value))
        }
    }

    /// The value of a key; nil when the map does not have it.
    ///
    /// - Complexity: O(log *n*) comparisons.
    package func value(of key: MapKey) -> Value? {
        switch self {
        case .json(let object):
            guard case .string(let name) = key else { return nil }
            return object[name].map { Value($0) }
        case .entries(let entries):
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].key < key { low = middle + 1 } else { high = middle }
            }
            guard low < entries.count, !(key < entries[low].key) else { return nil }
            return entries[low].value
        }
    }
}

/// A key of a map. An `int` and a `uint` of the same number are the same key, so a number is kept as an `int` wherever
/// it fits one.
package enum MapKey: Sendable, Comparable {
    case bool(Bool)
    case int(Int64)
    /// Past the largest `int`.
    case uint(UInt64)
    case string(String)

    /// The key that a value is, also a `double` that is a whole number; nil when the value can be no key.
    package init?(_ value: Value) {
        switch value {
        case .bool(let bool): self = .bool(bool)
        case .int(let int): self = .int(int)
        case .uint(let uint): self = Int64(exactly: uint).map { .int($0) } ?? .uint(uint)
        case .double(let double):
            if let int = Int64(exactly: double) {
                self = .int(int)
            } else if let uint = UInt64(exactly: double) {
                self = .uint(uint)
            } else {
                return nil
            }
        case .string(let string): self = .string(string)
        default: return nil
        }
    }

    /// Numbers are compared as numbers, strings by their bytes.
    package static func == (lhs: MapKey, rhs: MapKey) -> Bool {
        !(lhs < rhs) && !(rhs < lhs)
    }

    package static func < (lhs: MapKey, rhs: MapKey) -> Bool {
        switch (lhs, rhs) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.int(let left), .int(let right)): left < right
        case (.uint(let left), .uint(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: lhs.rank < rhs.rank
        }
    }

    private var rank: Int {
        switch self {
        case .bool: 0
        case .int: 1
        case .uint: 2
        case .string: 3
        }
    }
}

extension MapValue {
    /// The value of a key that comes as a value; nil when the map does not have it, or the value can be no key.
    func value(at key: Value, _ budget: inout Budget) throws(EvaluationError) -> Value? {
        // The comparisons of a binary search.
        try budget.take(Int.bitWidth - count.leadingZeroBitCount)
        return MapKey(key).flatMap { value(of: $0) }
    }
}

extension MapKey {
    /// The key as a value.
    var value: Value {
        switch self {
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .uint(let uint): .uint(uint)
        case .string(let string): .string(string)
        }
    }

    /// The key for messages; strings without quotes.
    var text: String {
        switch self {
        case .bool(let bool): String(bool)
        case .int(let int): String(int)
        case .uint(let uint): String(uint)
        case .string(let string): string
        }
    }
}
