import ArgumentParser
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
    var instance: String

    @OptionGroup var options: RepairOptions

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
            try await client.suspend(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
