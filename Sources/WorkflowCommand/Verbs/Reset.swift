import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl reset`.
struct Reset: Verb {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Give an instance the state again that it had after a seq.",
        discussion: """
            $ wfctl reset order-1042 --to 4 --reason OPS-12 --dry-run

            State, context and timers are as they were; no action runs, and what was sent stays sent. What callers \
            sent since is not sent again: 'wfctl history NAME --after SEQ -o batch' prints it for 'wfctl send --batch'.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The seq after which it was so.", valueName: "seq"))
    var to: Int64

    @Option(
        help: ArgumentHelp(
            "Whether timers have what was left of them then, or are due when they were. (default: left)",
            valueName: "left|due"),
        completion: .list(ResetRequest.Timers.allCases.map(\.rawValue)),
        transform: { try Reset.word($0, ResetRequest.Timers.self) })
    var timers: ResetRequest.Timers?

    @Option(
        help: ArgumentHelp(
            "Whether invocations of then begin again, so that services act twice, or have the answer that came.",
            valueName: "again|answer"),
        completion: .list(ResetRequest.Invocations.allCases.map(\.rawValue)),
        transform: { try Reset.word($0, ResetRequest.Invocations.self) })
    var invocations: ResetRequest.Invocations?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try many.check(instance: instance, options)
        try options.checkReason(of: "reset", isForMany: many.isUsed)
        try Least.check("--to", to)
    }

    func run(in session: Session) async throws {
        guard let instance else {
            var action = BulkAction(.reset)
            action.to = to
            action.timers = timers
            action.invocations = invocations
            return try await many.carryOut(
                action, reason: options.reason, dryRun: options.dryRun, in: session)
        }
        let request = ResetRequest(
            to: to, reason: try options.requiredReason(of: "reset"), timers: timers,
            invocations: invocations, seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.reset(request, instance, key: key, wantsContext: session.showsContext)
        }
    }

    static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, _: Word.Type
    ) throws -> Word {
        if let word = Word(rawValue: text) { return word }
        throw ValidationError(
            "it must be one of " + Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))
    }
}
