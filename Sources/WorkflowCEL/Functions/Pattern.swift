import Synchronization

#if RE2

    import CRE2

    /// A compiled regular expression in RE2's syntax, which matches in linear time whatever the pattern.
    final class Pattern: Sendable {
        // Matching is const and locks within: RE2 may be used from any thread.
        nonisolated(unsafe) private let handle: OpaquePointer
        /// How large the pattern is when compiled, in instructions.
        private let size: Int

        /// Compiles a pattern; fails when it is none, or takes more than `CELLimits.patternBytes`.
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

        /// Whether the pattern matches anywhere in the text.
        func matches(_ text: String, _ budget: inout Budget) throws(EvaluationError) -> Bool {
            // The worst that RE2 does is to look at each instruction for each byte.
            let (steps, overflow) = text.utf8.count.multipliedReportingOverflow(by: size)
            try budget.take(1 + (overflow ? .max : steps) / 64)
            var text = text
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { cre2_matches(handle, $0.baseAddress, $0.count) }
            }
        }
    }

#else

    /// Without RE2 no pattern can be compiled.
    final class Pattern: Sendable {
        init(_ text: String) throws(EvaluationError) {
            throw EvaluationError(.invalidArgument, "'matches' needs the trait RE2")
        }

        func matches(_ text: String, _ budget: inout Budget) throws(EvaluationError) -> Bool { false }
    }

#endif

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

extension FunctionLibrary {
    /// `matches(text, pattern)` and `text.matches(pattern)` for a pattern that comes as a value.
    ///
    /// A pattern that stands in the expression is compiled with it, to a `Pattern`.
    static let matchFunctions: [Overload] = Overload.Style.both.map { style in
        .native(style, "matches") { (text: String, pattern: String, budget) throws(EvaluationError) in
            try PatternCache.shared.pattern(pattern, &budget).matches(text, &budget)
        }
    }
}
