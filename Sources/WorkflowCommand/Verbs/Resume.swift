import ArgumentParser
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
    var instance: String

    @OptionGroup var options: RepairOptions

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        try await options.carryOut(in: session, failing: "has failed") { client, key throws(ClientError) in
            try await client.resume(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
