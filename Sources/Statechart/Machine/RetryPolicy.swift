/// What becomes of an attempt that failed.
package struct RetryPolicy: Sendable, Equatable {
    /// How many attempts there are, the first among them; nil for any number.
    package var attempts: Int? = 10
    /// Milliseconds before the second attempt.
    package var first: Int64 = 1_000
    /// How much longer each wait is than the one before.
    package var factor: Double = 2
    /// The longest wait in milliseconds.
    package var limit: Int64 = 300_000
    /// By what part of itself a wait may be longer or shorter.
    package var jitter: Double = 0.2
    /// Types of errors after which nothing is tried again.
    package var except: [String] = []

    package init() {}

    /// How many attempts a definition may ask for.
    package static let attemptRange = 1...1_000
    package static let factorRange = 1.0...100.0
}

extension RetryPolicy {
    /// Milliseconds to wait after an attempt that failed; nil when nothing is tried again.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first.
    ///   - type: Of its error.
    ///   - canRetry: Whether trying again makes sense to whoever tried.
    ///   - retryAfter: How long who tried wants to wait, in milliseconds; nil for what the policy says.
    ///   - seed: Spreads those that failed together; the same seed waits as long.
    package func wait(
        after attempt: Int64, failing type: String, canRetry: Bool, retryAfter: Int64?, seed: UInt64
    ) -> Int64? {
        let isLast = attempts.map { attempt >= $0 } ?? false
        if isLast || !canRetry || except.contains(type) { return nil }
        return retryAfter ?? wait(after: attempt, seed: seed)
    }

    private func wait(after attempt: Int64, seed: UInt64) -> Int64 {
        var wait = Double(first)
        for _ in 1..<max(1, min(attempt, 10_000)) where wait < Double(limit) { wait *= factor }
        wait = min(wait, Double(limit))
        var random = seed &+ 0x9E37_79B9_7F4A_7C15 &* UInt64(bitPattern: attempt)
        random = (random ^ random >> 30) &* 0xBF58_476D_1CE4_E5B9
        random = (random ^ random >> 27) &* 0x94D0_49BB_1331_11EB
        random ^= random >> 31
        let part = Double(random >> 11) / Double(1 << 53) * 2 - 1
        return Int64((wait * (1 + jitter * part)).rounded())
    }
}
