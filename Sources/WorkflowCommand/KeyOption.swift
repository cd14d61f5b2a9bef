import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The option `--key` of verbs that change something once.
struct KeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Done once, however often it is asked for with this key. (default: a new one, for wfctl's own retries)",
            valueName: "key"))
    var key: String?

    /// How long nothing is said about a wait.
    private static let silence = Duration.seconds(3)

    func validate() throws {
        if let key, !IdempotencyKey.isValid(key) { throw ValidationError("'--key' must be \(IdempotencyKey.rule)") }
    }

    /// Asks until it is known what became of it; who is not told gets the key, to ask again.
    func persist<Answer>(
        in session: Session, _ request: (WorkflowClient, String) async throws(ClientError) -> Answer
    ) async throws -> Answer {
        let key = key ?? session.environment.makeKey()
        // Cancelled below; whoever interrupts a long wait must know the key.
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
                notes: failure.notes + ["with '--key \(key)' the same command tells, and does nothing twice"])
            throw failure
        }
    }
}
