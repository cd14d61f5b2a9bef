package import WorkflowJSON

/// A map, created by an expression or part of a JSON document. Its entries are sorted by key: first `false` and `true`,
/// then numbers, then strings by their UTF-8 bytes.
package enum MapValue: Sendable {
    /// The entries sorted by key, without duplicate keys.
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

    /// Returns the entry at an index in the order of keys.
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

    /// Returns the value of a key; `nil` if the map lacks the key.
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

/// A key of a map. An `int` and a `uint` of the same number are the same key, so a number that fits an `int` is stored
/// as an `int`.
package enum MapKey: Sendable, Comparable {
    case bool(Bool)
    case int(Int64)
    /// A number beyond the largest `int`.
    case uint(UInt64)
    case string(String)

    /// Creates the key of a value, also of a whole `double`; `nil` if the value cannot be a key.
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

    /// Compares numbers numerically and strings by their bytes.
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
    /// Returns the value for a key; `nil` if the map lacks the key, or the given value cannot be a key.
    func value(at key: Value, _ budget: inout Budget) throws(EvaluationError) -> Value? {
        // The cost is the comparisons of a binary search.
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

    /// The key for messages; a string without quotes.
    var text: String {
        switch self {
        case .bool(let bool): String(bool)
        case .int(let int): String(int)
        case .uint(let uint): String(uint)
        case .string(let string): string
        }
    }
}
