import Logging
import WorkflowStore

/// Decides when to warn the operator about a reader that keeps the log from starting over. The first warning comes
/// after `patience`, and another each time that the reader's age has doubled.
struct LogHoldWatch {
    /// The age at which a reader is first reported; shorter reads are never reported.
    static let patience = Duration.seconds(10)

    /// A message for the operator.
    enum News: Equatable {
        case held(seconds: Int64, isForeign: Bool)
        case over
    }

    /// The age at which the next message is due.
    private var next = patience

    /// Takes the reader that the store found, and returns the message that is due; `nil` if none is.
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
    /// Writes the message to the log.
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
