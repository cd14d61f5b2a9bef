import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl suspend`.
struct Suspend: Verb {
    static let configuration = CommandConfiguration(
        commandName: "suspend", abstract: "Let an instance take nothing until it is resumed.",
        discussion: """
            $ wfctl suspend order-1042 --reason 'the stock is counted'

            Events that are sent to it are refused. Its timers and results wait. None of its effects starts; what runs \
            already ends as it would.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws { try many.check(instance: instance, options) }

    func run(in session: Session) async throws {
        guard let instance else {
            return try await many.carryOut(
                BulkAction(.suspend), reason: options.reason, dryRun: options.dryRun, in: session)
        }
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.suspend(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
