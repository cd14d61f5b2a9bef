import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl reset`.
struct Reset: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Return an instance to its state after an earlier seq.",
        discussion: """
            $ wfctl reset order-1042 --to 4 --reason OPS-12 --dry-run

            State, context and timers are as they were after that seq. No action runs, and calls that the instance has \
            made stay made. Later rows remain in the history.

            Events that callers have sent since are not sent again. 'wfctl history NAME --after SEQ -o batch' prints \
            them for 'wfctl send --batch'. wfd refuses without --invocations if an invocation of that time has ended \
            since.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The seq to return to.", valueName: "seq"))
    var to: Int64

    @Option(
        help: ArgumentHelp(
            "Timers: 'left' gives them the time that remained then; 'due' keeps their due times. (default: left)",
            valueName: "left|due"),
        completion: .list(ResetRequest.Timers.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: ResetRequest.Timers.self) })
    var timers: ResetRequest.Timers?

    @Option(
        help: ArgumentHelp(
            "For invocations of that time that have ended since: 'again' begins them anew, so services act twice; "
                + "'answer' gives them the result that came.",
            valueName: "again|answer"),
        completion: .list(ResetRequest.Invocations.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: ResetRequest.Invocations.self) })
    var invocations: ResetRequest.Invocations?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try many.check(instance: instance, options)
        _ = try options.requiredReason(of: "reset")
        try Least.check("--to", to)
    }

    func run(in session: Session) async throws {
        guard let instance else {
            var action = BulkAction(.reset)
            action.to = to
            action.timers = timers
            action.invocations = invocations
            return try await many.carryOut(action, options, in: session)
        }
        let request = ResetRequest(
            to: to, reason: try options.requiredReason(of: "reset"), timers: timers,
            invocations: invocations, seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.reset(request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
