import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl cancel`.
struct Cancel: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End an instance in its present state.",
        discussion: """
            $ wfctl cancel order-1042 --reason 'the customer died'

            The exit actions of all active states run, innermost first; the history names one that fails. Timers and \
            invocations end. The instance keeps its state and accepts no more events. wfd refuses if the exit actions \
            never end; '--no-actions' runs none.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Flag(help: "Run no exit actions.")
    var noActions = false

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        _ = try options.requiredReason(of: "cancel")
        try many.check(instance: instance, options)
    }

    func run(in session: Session) async throws {
        guard let instance else {
            return try await many.carryOut(BulkAction(.cancel, actions: noActions ? false : nil), options, in: session)
        }
        let request = CancelRequest(
            reason: try options.requiredReason(of: "cancel"), actions: noActions ? false : nil,
            seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.cancel(request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
