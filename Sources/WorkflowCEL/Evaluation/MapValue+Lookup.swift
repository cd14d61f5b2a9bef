extension MapValue {
    /// The value of a key that comes as a value; nil when the map does not have it, or the value can be no key.
    func value(at key: Value, _ budget: inout Budget) throws(EvaluationError) -> Value? {
        // The comparisons of a binary search.
        try budget.take(Int.bitWidth - count.leadingZeroBitCount)
        return MapKey(key).flatMap { value(of: $0) }
    }
}
