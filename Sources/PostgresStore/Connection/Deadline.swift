/// The end of a wait for the server.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(after time: Duration) {
        end = .now + time
    }

    /// The time that is left in milliseconds, rounded up; 0 once the deadline is over.
    var milliseconds: Int64 {
        let left = end - .now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return min(seconds, 1_000_000) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
    }

    /// The time that is left.
    var left: Duration { max(.zero, end - .now) }

    var isOver: Bool { milliseconds == 0 }
}
