import Logging
import WorkflowStore

/// Decides when to tell the operator about a reader that keeps the log from starting over: when the reader has been
/// there for a while, and again each time that it is twice as old.
struct LogHoldWatch {
    /// Reads that end before are told to nobody.
    static let patience = Duration.seconds(10)

    /// Something to tell.
    enum News: Equatable {
        case held(seconds: Int64, isForeign: Bool)
        case over
    }

    /// The age that is told next.
    private var next = patience

    /// Takes what the store has found, and gives what is to be told; nil for nothing.
    mutating func see(_ hold: LogHold?, at now: ContinuousClock.Instant) -> News? {
        guard let hold, hold.age(at: now) >= Self.patience else {
            defer { next = Self.patience }
            return next == Self.patience ? nil : .over
        }
        let age = hold.age(at: now)
        guard age >= next else { return nil }
        while next <= age { next *= 2 }
        return .held(seconds: age.components.seconds, isForeign: hold.isForeign)
    }
}

extension LogHoldWatch.News {
    /// Tells it.
    func tell(_ logger: Logger) {
        switch self {
        case .held(let seconds, let isForeign):
            logger.warning(
                "a reader keeps the write-ahead log from starting over, and the log grows",
                metadata: ["seconds": "\(seconds)", "reader": isForeign ? "another process" : "wfd"])
        case .over: logger.notice("no reader keeps the write-ahead log from starting over any more")
        }
    }
}
