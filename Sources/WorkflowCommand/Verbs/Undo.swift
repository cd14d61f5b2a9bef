import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl undo`.
struct Undo: Verb {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo an instance's migration if nothing has happened since.",
        discussion: """
            $ wfctl undo order-1042 --reason OPS-12

            Version, state, context and timers are as before the migration. If anything has happened since, wfd \
            refuses; 'wfctl reset' goes back anyway. 'wfctl migrate --undo' undoes a run.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @Option(
        help: ArgumentHelp(
            "For invocations that the migration cancelled: 'again' begins them anew; 'answer' gives them the result "
                + "that came.",
            valueName: "again|answer"),
        completion: .list(ResetRequest.Invocations.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: ResetRequest.Invocations.self) })
    var invocations: ResetRequest.Invocations?

    @OptionGroup var options: RepairOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try options.requiredReason(of: "undo") }

    func run(in session: Session) async throws {
        let request = UndoRequest(
            reason: try options.requiredReason(of: "undo"), invocations: invocations, seq: options.expectSeq,
            dryRun: options.dryRun ? true : nil)
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.undoMigration(request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
