/// How often an attempt is made again after a failure that the rule fits, and when.
package struct RetryRule: Sendable, Equatable {
    /// The failures that it fits: types, or statuses of answers such as `http-status.503` and `http-status.5xx`; nil
    /// for all.
    package var on: [String]?
    /// How many attempts may fail so; nil for any number.
    package var attempts: Int? = 10
    /// Milliseconds before the second attempt.
    package var first: Int64 = 1_000
    /// How much longer each wait is than the one before.
    package var factor: Double = 2
    /// The longest wait in milliseconds.
    package var limit: Int64 = 300_000
    /// By what part of itself a wait may be longer or shorter.
    package var jitter: Double = 0.2
    /// Failures after which nothing is tried again, in the words of `on`.
    package var except: [String] = []

    package init() {}

    /// How many attempts a definition may ask for.
    package static let attemptRange = 1...1_000
    package static let factorRange = 1.0...100.0
    /// How many failures a rule may name in `on`, and in `except`.
    package static let wordRange = 1...50
}

extension RetryRule {
    func fits(_ failure: RetryFailure) -> Bool { on.map { $0.contains(where: failure.words.contains) } ?? true }

    func isExcept(_ failure: RetryFailure) -> Bool { except.contains(where: failure.words.contains) }

    /// True where it names the status of an answer, and not only its type. It then wants another attempt also after an
    /// answer that is an error at once.
    func namesStatus(of failure: RetryFailure) -> Bool {
        on?.contains(where: failure.words.dropLast().contains) ?? false
    }

    /// Milliseconds to wait after a number of failures; the same seed waits as long.
    func wait(after count: Int64, seed: UInt64) -> Int64 {
        var wait = Double(first)
        for _ in 1..<max(1, min(count, 10_000)) where wait < Double(limit) { wait *= factor }
        wait = min(wait, Double(limit))
        var random = seed &+ 0x9E37_79B9_7F4A_7C15 &* UInt64(bitPattern: count)
        random = (random ^ random >> 30) &* 0xBF58_476D_1CE4_E5B9
        random = (random ^ random >> 27) &* 0x94D0_49BB_1331_11EB
        random ^= random >> 31
        let part = Double(random >> 11) / Double(1 << 53) * 2 - 1
        return Int64((wait * (1 + jitter * part)).rounded())
    }
}
