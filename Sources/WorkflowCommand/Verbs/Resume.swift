import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl resume`.
struct Resume: Verb {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a suspended instance go on.",
        discussion: """
            $ wfctl resume order-1042

            What waited comes now, as after an outage: timers at the times at which they were due, results in the \
            order in which they came.
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
                BulkAction(.resume), reason: options.reason, dryRun: options.dryRun, in: session)
        }
        try await options.carryOut(in: session, failing: "has failed") { client, key throws(ClientError) in
            try await client.resume(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
