/// Decides which lines of one topic are told: so many within a second, and how many were left out.
struct LineRate {
    /// For which lines are counted together.
    static let interval: Duration = .seconds(1)

    private let lines: Int
    private var began: ContinuousClock.Instant?
    private var told = 0
    private var leftOut = 0

    /// - Parameter lines: Within the interval.
    init(lines: Int) {
        self.lines = lines
    }

    /// Whether a line may be told; when not, it is counted.
    mutating func admits(at now: ContinuousClock.Instant) -> Bool {
        if isOver(at: now) {
            began = now
            told = 0
        }
        guard told < lines else {
            leftOut += 1
            return false
        }
        told += 1
        return true
    }

    /// The lines that were left out in an interval that is over; each is told once.
    mutating func takeLeftOut(at now: ContinuousClock.Instant) -> Int {
        guard isOver(at: now) else { return 0 }
        return takeLeftOut()
    }

    /// The lines that were left out; each is told once.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }

    private func isOver(at now: ContinuousClock.Instant) -> Bool { began.map { now - $0 >= Self.interval } ?? true }
}
