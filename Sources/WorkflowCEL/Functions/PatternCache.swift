import Synchronization

/// Keeps the patterns that came as values and not in the text of an expression, so that each is compiled once.
final class PatternCache: Sendable {
    /// The one of this process.
    static let shared = PatternCache()

    /// Patterns that are kept; when one more comes, all are dropped.
    static let capacity = 64

    /// By their bytes: strings that look the same are equal in Swift, but other patterns.
    private let patterns = Mutex<[[UInt8]: Pattern]>([:])

    /// The compiled pattern.
    ///
    /// Costs the same whether it was there or not: what an evaluation takes must not depend on the one before it. It is
    /// what compiling takes at most: `\pL{100}` keeps RE2 busy for 2 ms before it is found too large.
    func pattern(_ text: String, _ budget: inout Budget) throws(EvaluationError) -> Pattern {
        try budget.take(1000)
        try budget.take(text.utf8.count * 50)
        let key = Array(text.utf8)
        if let pattern = patterns.withLock({ $0[key] }) { return pattern }
        let pattern = try Pattern(text)
        patterns.withLock { patterns in
            if patterns.count >= Self.capacity { patterns.removeAll(keepingCapacity: true) }
            patterns[key] = pattern
        }
        return pattern
    }
}
