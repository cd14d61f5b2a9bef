import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl send`.
struct Send: Verb {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send an event to one instance, or events to many.",
        discussion: """
            $ wfctl send order-1042 pay --data '{"card": "tok_9"}'

            wfctl returns when the event and everything that follows from it are on disk. If the instance fails on \
            what follows, the exit code is 5.

            With --batch, each line is an event, {"instance": …, "event": …, "data"?, "expect"?, "key"?}, or a start: \
            see 'wfctl start'. --run NAME makes keys for lines without one; the same command then continues where it \
            stopped.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Argument(help: "The event's name.", completion: Completion.events.kind)
    var event: String?

    @OptionGroup var data: DataOption

    @Flag(help: "Show what would happen; change nothing.")
    var dryRun = false

    @Flag(
        help:
            "With --dry-run: list each transition in the order tried, its verdict, and the values that its guard read.")
    var explain = false

    @Flag(help: "Show the exited and entered states.")
    var detail = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Proceed only if this is the instance's seq.", valueName: "n"))
    var expectSeq: Int64?

    @Option(help: ArgumentHelp("Proceed only if this state is active.", valueName: "state"))
    var expectState: String?

    @OptionGroup var key: KeyOption

    @OptionGroup var lines: BatchOptions

    @Option(help: ArgumentHelp("With a selection: the reason, recorded in the history.", valueName: "text"))
    var reason: String?

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { lines.batch != nil }

    func validate() throws {
        try Least.check("--expect-seq", expectSeq)
        if lines.batch != nil {
            let isAlone =
                instance == nil && data.data == nil && !dryRun && !detail && expectSeq == nil && expectState == nil
            guard isAlone, key.key == nil, !many.isUsed, reason == nil else {
                throw ValidationError("'--batch' accepts only '--run' and '--atomic': its lines have everything else")
            }
            return try BatchOptions.check(run: many.run)
        }
        if many.isUsed { return try validateMany() }
        if many.run != nil {
            throw ValidationError("'--run' goes with '--batch', or with a selection such as '--machine'")
        }
        if lines.atomic { throw ValidationError("'--atomic' goes with '--batch' only") }
        if many.consent.expect != nil || many.consent.yes || reason != nil {
            throw ValidationError("'--expect', '--yes' and '--reason' go with a selection, such as '--machine'")
        }
        if instance == nil { throw ValidationError("Missing expected argument '<instance>'") }
        if event == nil { throw ValidationError("Missing expected argument '<event>'") }
        if explain, !dryRun { throw ValidationError("'--explain' goes with '--dry-run' only") }
    }

    /// Checks the arguments for many instances, where no name precedes the event.
    private func validateMany() throws {
        if instance == nil { throw ValidationError("Missing expected argument '<event>'") }
        if let instance, event != nil {
            throw ValidationError("Name an instance ('\(instance)') or select some, not both")
        }
        if detail || explain || expectSeq != nil || expectState != nil || key.key != nil || lines.atomic {
            throw ValidationError(
                "With a selection, 'send' accepts '--data', '--reason', '--dry-run', '--run', '--expect' and '--yes'")
        }
    }

    func run(in session: Session) async throws {
        if many.isUsed {
            let action = BulkAction(.send, event: instance, data: try data.value(in: session))
            return try await many.carryOut(action, reason: reason, dryRun: dryRun, in: session)
        }
        if let batch = lines.batch {
            return try await lines.send(batch, of: .event, run: many.run, in: session)
        }
        // `validate` ensures that both are present.
        guard let instance, let event else { return }
        let expectation = Expectation(seq: expectSeq, state: expectState)
        let request = SendRequest(
            event: event, data: try data.value(in: session),
            expect: expectation == Expectation() ? nil : expectation)
        let parameters = SendParameters(dryRun: dryRun, detail: detail, explain: explain)
        do {
            let answer = try await key.persist(in: session) { client, key throws(ClientError) in
                try await client.send(
                    request, to: instance, parameters, key: dryRun ? nil : key, wantsContext: session.showsContext)
            }
            try session.print(answer) { SendText.lines(for: answer) }
            guard answer.status == .failed else { return }
            if dryRun { throw CommandFailure(wouldFail: answer) }
            try await session.throwFailure(of: answer.instance, "has failed")
        } catch let error as OutputClosed {
            throw error
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(error, event: event)
        }
    }
}
