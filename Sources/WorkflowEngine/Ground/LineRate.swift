/// Limits the log lines of one topic within an interval, and counts the lines that were left out.
struct LineRate {
    /// The interval within which lines are counted together.
    static let interval: Duration = .seconds(1)

    private let lines: Int
    private var began: ContinuousClock.Instant?
    private var told = 0
    private var leftOut = 0

    /// - Parameter lines: The greatest number of lines within the interval.
    init(lines: Int) {
        self.lines = lines
    }

    /// Returns true if a line may be logged; otherwise counts the line as left out.
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

    /// Returns the number of lines left out in an interval that is over, and resets the number.
    mutating func takeLeftOut(at now: ContinuousClock.Instant) -> Int {
        guard isOver(at: now) else { return 0 }
        return takeLeftOut()
    }

    /// Returns the number of lines left out, and resets the number.
    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }

    private func isOver(at now: ContinuousClock.Instant) -> Bool { began.map { now - $0 >= Self.interval } ?? true }
}
