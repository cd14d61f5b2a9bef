/// Collects values without duplicates.
struct DistinctElements {
    /// The buckets in which all values are equal.
    private var buckets: Set<Bucket> = []
    /// The values of all other buckets.
    private var candidates: [Bucket: [Value]] = [:]

    /// Adds a value. Returns false if an equal value is present.
    ///
    /// - Complexity: O(1) for scalars; O(*n*) in the number of lists of the same length, and of maps of the same size.
    mutating func insert(_ value: Value, _ budget: inout Budget) throws(EvaluationError) -> Bool {
        try budget.take(4)
        let bucket = try Bucket(value, &budget)
        if bucket.isExact { return buckets.insert(bucket).inserted }
        for other in candidates[bucket] ?? [] {
            try budget.take(1)
            if try other.isEqual(to: value, &budget) { return false }
        }
        candidates[bucket, default: []].append(value)
        return true
    }

    /// A property that equal values share.
    private enum Bucket: Hashable {
        case null, lists(Int), maps(Int), optionals(Bool)
        case bool(Bool)
        case number(Double)
        case bytes([UInt8]), string([UInt8])
        case timestamp(Timestamp), duration(Duration), type(TypeName)

        init(_ value: Value, _ budget: inout Budget) throws(EvaluationError) {
            switch value {
            case .null: self = .null
            case .bool(let bool): self = .bool(bool)
            case .int(let int): self = .number(Double(int))
            case .uint(let uint): self = .number(Double(uint))
            case .double(let double): self = .number(double)
            case .string(let string):
                try budget.take(walking: string)
                self = .string(Array(string.utf8))
            case .bytes(let bytes):
                try budget.take(1 + bytes.count / 64)
                self = .bytes(bytes)
            case .list(let list): self = .lists(list.count)
            case .map(let map): self = .maps(map.count)
            case .timestamp(let moment): self = .timestamp(moment)
            case .duration(let duration): self = .duration(duration)
            case .type(let type): self = .type(type)
            case .optional(let value): self = .optionals(value != nil)
            }
        }

        /// True if values in the same bucket are equal. Beyond 2^53 several integers share one double.
        var isExact: Bool {
            switch self {
            case .number(let double): double.magnitude < 0x1p53
            case .lists, .maps, .optionals: false
            default: true
            }
        }
    }
}
