import Logging
import ServiceLifecycle
package import WorkflowAccess
package import WorkflowEngine
import WorkflowStore

/// Ends what an expired token has open, within a second. Adds to the audit the changes of tokens that it lacks. Tells
/// once a minute how many requests had no valid credentials.
package struct AccessWatch: Service {
    private let book: AccessBook
    private let engine: Engine

    package init(_ book: AccessBook, engine: Engine) {
        self.book = book
        self.engine = engine
    }

    package func run() async {
        await tellLostTokens()
        await cancelWhenGracefulShutdown {
            var told = ContinuousClock.now - .seconds(60)
            while !Task.isCancelled {
                // Without a token that ends there is nothing to look at before the next change.
                // On a standby the owner records them.
                if engine.hasBegun { await book.record(in: engine) }
                if !book.hasEnds, !book.hasFailures, book.unrecorded.isEmpty { for await _ in book.news { break } }
                // Cancellation ends the loop.
                try? await Task.sleep(for: .milliseconds(500))
                book.endExpired()
                if told.duration(to: .now) >= .seconds(60), tellFailures() { told = .now }
            }
        }
        _ = tellFailures()
    }

    /// Warns if the file of tokens is missing although tokens were made before: as after a move without the file.
    private func tellLostTokens() async {
        var query = AuditQuery(kind: .change(.token), limit: 1)
        // The audit is for people: a database that cannot be read has errors of its own.
        let caller = Caller(nil, namespace: .default)
        while book.isMissing, let page = try? await engine.audits(query, by: caller).page {
            guard page.entries.isEmpty else {
                return engine.log.tell(
                    .lostTokens, .warning,
                    """
                    the file of tokens is missing, so every token made before is unknown: stop wfd and restore the \
                    file, or make new tokens
                    """,
                    ["file": "\(book.path)"])
            }
            guard let next = page.next else { return }
            query.before = next
        }
    }

    /// Logs the requests without valid credentials since the last time; returns false if there were none.
    private func tellFailures() -> Bool {
        guard let failures = book.takeFailures() else { return false }
        engine.log.tell(
            .logins, .warning, "requests without valid credentials were refused",
            ["requests": "\(failures.count)", "last": "\(failures.last)"])
        return true
    }
}

extension OperatorLog.Topic {
    /// Tokens whose file is missing.
    static let lostTokens = OperatorLog.Topic("reports of a missing file of tokens")
    /// Requests without valid credentials.
    static let logins = OperatorLog.Topic("reports of requests without valid credentials")
}

extension AccessBook {
    /// Adds to the audit the changes of tokens that it may lack, in their order. A change that cannot be added waits.
    func record(in engine: Engine) async {
        for change in unrecorded {
            let caller = Caller(change.actor.map { Actor(rawValue: $0) }, namespace: .default)
            do {
                _ = try await engine.record(
                    changeOf: change.token, change.detail, number: change.number, by: caller)
            } catch {
                // The file has it; the watch tries again.
                return
            }
            recorded(change)
        }
    }
}
