import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl skip`.
struct Skip: Verb {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Drop the event on which an instance failed, and let it continue.",
        discussion: """
            $ wfctl skip order-1042 --reason 'paid by hand, OPS-12'

            'wfctl show' names the event. No transition takes it any more. Then wfd applies what has waited, such as \
            timers and results. If the instance fails on that, the exit code is 5.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        _ = try options.requiredReason(of: "skip")
        try many.check(instance: instance, options)
    }

    func run(in session: Session) async throws {
        guard let instance else {
            return try await many.carryOut(BulkAction(.skip), options, in: session)
        }
        var request = options.request
        request.reason = try options.requiredReason(of: "skip")
        try await options.carryOut(in: session, failing: "has failed") { [request] client, key throws(ClientError) in
            try await client.skip(request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}
