/// The growing pauses between attempts to reach a daemon: at first 100 ms, then up to 5 s, for `patience` in total.
struct Reconnection {
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(5)

    let patience: Duration
    let clock: any Clock<Duration>
    private var pause = Self.firstPause
    /// The sum of the pauses since the daemon was reached.
    private var paused = Duration.zero

    init(patience: Duration, clock: any Clock<Duration>) {
        self.patience = patience
        self.clock = clock
    }

    /// True if the pauses add up to `patience`.
    var isSpent: Bool { paused >= patience }

    /// Begins again with the shortest pause, because the daemon was reached.
    mutating func reached() {
        paused = .zero
        pause = Self.firstPause
    }

    /// Pauses before the next attempt.
    mutating func rest() async throws {
        try await clock.sleep(for: pause)
        paused += pause
        pause = min(pause * 2, Self.longestPause)
    }
}
