import Synchronization

#if RE2

    import CRE2

    /// A compiled regular expression in RE2's syntax. Matching takes linear time for every pattern.
    final class Pattern: Sendable {
        // Matching is const and locks internally: RE2 may be used from any thread.
        nonisolated(unsafe) private let handle: OpaquePointer
        /// The size of the compiled pattern, in instructions.
        private let size: Int

        /// Compiles a pattern. Throws if the pattern is invalid or takes more than `CELLimits.patternBytes`.
        init(_ text: String) throws(EvaluationError) {
            var reason = [CChar](repeating: 0, count: 160)
            var text = text
            let handle = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    cre2_compile(bytes.baseAddress, bytes.count, Int64(CELLimits.patternBytes), &reason, reason.count)
                }
            }
            guard let handle else {
                let end = reason.firstIndex(of: 0) ?? reason.count
                let why = String(decoding: reason[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                throw EvaluationError(.invalidArgument, "the pattern is no RE2 regular expression: \(why)")
            }
            self.handle = handle
            size = Int(cre2_size(handle))
        }

        deinit {
            cre2_free(handle)
        }

        /// Returns true if the pattern matches anywhere in the text.
        func matches(_ text: String, _ budget: inout Budget) throws(EvaluationError) -> Bool {
            // In the worst case RE2 visits each instruction for each byte.
            let (steps, overflow) = text.utf8.count.multipliedReportingOverflow(by: size)
            try budget.take(1 + (overflow ? .max : steps) / 64)
            var text = text
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { cre2_matches(handle, $0.baseAddress, $0.count) }
            }
        }
    }

#else

    /// A placeholder for builds without RE2, which cannot compile patterns.
    final class Pattern: Sendable {
        init(_ text: String) throws(EvaluationError) {
            throw EvaluationError(.invalidArgument, "'matches' needs the trait RE2")
        }

        func matches(_ text: String, _ budget: inout Budget) throws(EvaluationError) -> Bool { false }
    }

#endif

/// Caches patterns that are values rather than literals of an expression, so that each is compiled once.
final class PatternCache: Sendable {
    /// The cache of this process.
    static let shared = PatternCache()

    /// The largest number of patterns. One more pattern empties the cache.
    static let capacity = 64

    /// The patterns by their bytes: Swift treats canonically equivalent strings as equal, but they are different
    /// patterns.
    private let patterns = Mutex<[[UInt8]: Pattern]>([:])

    /// Returns the compiled pattern.
    ///
    /// A cached pattern costs as much as a new one, because the cost of an evaluation must not depend on earlier
    /// evaluations. The cost is the most that compiling takes: `\pL{100}` occupies RE2 for 2 ms before RE2 rejects its
    /// size.
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

extension FunctionLibrary {
    /// The functions `matches(text, pattern)` and `text.matches(pattern)` for a pattern that is a value.
    ///
    /// A literal pattern is compiled with its expression, to a `Pattern`.
    static let matchFunctions: [Overload] = Overload.Style.both.map { style in
        .native(style, "matches") { (text: String, pattern: String, budget) throws(EvaluationError) in
            try PatternCache.shared.pattern(pattern, &budget).matches(text, &budget)
        }
    }
}
