import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The option `--key` of verbs that change something once.
struct KeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Idempotency key: a request is carried out once per key. (default: a new key, for wfctl's own retries)",
            valueName: "key"))
    var key: String?

    /// The time for which a wait is not reported.
    private static let silence = Duration.seconds(3)

    func validate() throws {
        if let key, !IdempotencyKey.isValid(key) { throw ValidationError("'--key' must be \(IdempotencyKey.rule)") }
    }

    /// Repeats a request until its outcome is known; prints the key if it stays unknown, so that the user can ask
    /// again.
    func persist<Answer>(
        in session: Session, _ request: (WorkflowClient, String) async throws(ClientError) -> Answer
    ) async throws -> Answer {
        let key = key ?? session.environment.makeKey()
        // The task is cancelled below; a user who interrupts a long wait must know the key.
        let errors = session.environment.errors
        let reminder = Task {
            try await Task.sleep(for: Self.silence)
            try errors.write("no answer yet; with '--key \(key)' the same command asks for it again\n")
        }
        defer { reminder.cancel() }
        do {
            return try await session.withClient { client in
                try await client.untilKnown { () async throws(ClientError) in try await request(client, key) }
            }
        } catch let error as ClientError where error.leavesOutcomeOpen {
            var failure = CommandFailure(error)
            failure = CommandFailure(
                failure.exitStatus, failure.message,
                notes: failure.notes + [
                    "with '--key \(key)' the same command reports the outcome, and does nothing twice"
                ])
            throw failure
        }
    }
}
