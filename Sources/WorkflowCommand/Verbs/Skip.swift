import ArgumentParser
import WorkflowClient

/// `wfctl skip`.
struct Skip: Verb {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Let a failed instance go on without the event that it failed on.",
        discussion: """
            $ wfctl skip order-1042 --reason 'paid by hand, OPS-12'

            'wfctl show' tells which event that is. It is dropped: nothing takes it any more. What came meanwhile \
            follows.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @OptionGroup var options: RepairOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws { _ = try options.requiredReason(of: "skip") }

    func run(in session: Session) async throws {
        try await options.carryOut(in: session, failing: "has failed") { client, key throws(ClientError) in
            try await client.skip(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
