/// A rule that decides how often and when wfd repeats an attempt after matching failures.
package struct RetryRule: Sendable, Equatable {
    /// The failures that match: types, or HTTP statuses such as `http-status.503` and `http-status.5xx`; `nil` for all.
    package var on: [String]?
    /// The number of failed attempts at which the rule gives up; `nil` for no limit.
    package var attempts: Int? = 10
    /// The milliseconds before the second attempt.
    package var first: Int64 = 1_000
    /// The factor between each pause and the next.
    package var factor: Double = 2
    /// The longest pause in milliseconds.
    package var limit: Int64 = 300_000
    /// The largest fraction by which a pause may vary in either direction.
    package var jitter: Double = 0.2
    /// The failures after which no attempt follows, in the words of `on`.
    package var except: [String] = []

    package init() {}

    /// The valid values of `attempts` in a definition.
    package static let attemptRange = 1...1_000
    package static let factorRange = 1.0...100.0
    /// The valid number of failures in `on`, and in `except`.
    package static let wordRange = 1...50
}

extension RetryRule {
    func fits(_ failure: RetryFailure) -> Bool { on.map { $0.contains(where: failure.words.contains) } ?? true }

    func isExcept(_ failure: RetryFailure) -> Bool { except.contains(where: failure.words.contains) }

    /// Returns true if the rule names the failure's HTTP status, not only its type. Such a rule asks for another
    /// attempt even after a status that by default ends the attempts at once.
    func namesStatus(of failure: RetryFailure) -> Bool {
        on?.contains(where: failure.words.dropLast().contains) ?? false
    }

    /// Returns the milliseconds to wait after a number of failures. Equal seeds give equal pauses.
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
