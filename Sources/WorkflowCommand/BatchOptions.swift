import ArgumentParser
import WorkflowAPI

/// The options `--batch` and `--atomic` of verbs that take many lines.
struct BatchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the lines of a file, each an event or a start; - is standard input.", valueName: "file|-"),
        completion: .file())
    var batch: String?

    @Flag(help: "With --batch: apply all lines in one transaction, or none.")
    var atomic = false

    /// Throws if no keys can be made of a run's name.
    static func check(run: String?) throws {
        if let run, !IdempotencyKey.isValid(run + ":ffffffffffffffff:9999999999") {
            throw ValidationError("'--run' must have at most 172 printable ASCII characters")
        }
    }

    /// Sends the lines of a file.
    func send(_ path: String, of usual: BatchSending.Kind, run: String?, in session: Session) async throws {
        try await session.withClient { client in
            var sending = BatchSending(session, of: usual, run: run, isAtomic: atomic)
            try await sending.send(path, with: client)
        }
    }
}
