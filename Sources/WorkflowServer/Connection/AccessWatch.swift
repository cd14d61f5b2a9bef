import Logging
import ServiceLifecycle
package import WorkflowAccess
package import WorkflowEngine

/// Ends what an expired token has open, within a second, and tells once a minute how many requests had no valid
/// credentials.
package struct AccessWatch: Service {
    private let book: AccessBook
    private let log: OperatorLog

    package init(_ book: AccessBook, log: OperatorLog) {
        self.book = book
        self.log = log
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var told = ContinuousClock.now - .seconds(60)
            while !Task.isCancelled {
                // Without a token that ends there is nothing to look at before the next change.
                if !book.hasEnds, !book.hasFailures { for await _ in book.news { break } }
                // Cancellation ends the loop.
                try? await Task.sleep(for: .milliseconds(500))
                book.endExpired()
                if told.duration(to: .now) >= .seconds(60), tellFailures() { told = .now }
            }
        }
        _ = tellFailures()
    }

    /// Logs the requests without valid credentials since the last time; returns false if there were none.
    private func tellFailures() -> Bool {
        guard let failures = book.takeFailures() else { return false }
        log.tell(
            .logins, .warning, "requests without valid credentials were refused",
            ["requests": "\(failures.count)", "last": "\(failures.last)"])
        return true
    }
}

extension OperatorLog.Topic {
    /// Requests without valid credentials.
    static let logins = OperatorLog.Topic("reports of requests without valid credentials")
}
