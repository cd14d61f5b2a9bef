import WorkflowAPI

/// Tells on the error stream how far something is and how long it will take, once it has taken a second: on a terminal
/// in one line that changes, elsewhere in a line now and then.
struct ProgressLine {
    private static let silence = Duration.seconds(1)
    /// Between two lines where nobody watches.
    private static let pause = Duration.seconds(10)

    private let session: Session
    /// What is counted: `events`.
    private let unit: String
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    init(_ session: Session, unit: String) {
        self.session = session
        self.unit = unit
    }

    /// Says how far it is, when it is time to.
    mutating func show(_ progress: WorkProgress) throws {
        let now = ContinuousClock.now
        let errors = session.environment.errors
        guard now - start >= Self.silence else { return }
        if let last, !errors.isTerminal, now - last < Self.pause { return }
        last = now
        let text = Self.text(progress, unit: unit, elapsed: now - start)
        try errors.write(errors.isTerminal ? "\r\u{1B}[K" + text : text + "\n")
    }

    /// Takes the line away, so that something else can be printed.
    mutating func clear() throws {
        guard last != nil, session.environment.errors.isTerminal else { return }
        last = nil
        try session.environment.errors.write("\r\u{1B}[K")
    }

    /// `45 %, 4500 of 10000 events, about 12s left`.
    static func text(_ progress: WorkProgress, unit: String, elapsed: Duration) -> String {
        let total = max(progress.total, progress.done, 1)
        var text = "\(progress.done * 100 / total) %, \(progress.done) of \(total) \(unit)"
        guard progress.done > 0 else { return text }
        let left = elapsed * (Double(total - progress.done) / Double(progress.done))
        text += ", about \(DurationText.text(milliseconds: left.components.seconds * 1_000)) left"
        return text
    }
}
