import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl migrate`.
struct Migrate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Take instances over to another version of their machine.",
        discussion: """
            $ wfctl migrate order-1042 --to 2 --map packing=fulfil.packing --reason OPS-12 --dry-run

            A state goes to the one of the same path, or where --map says, and is neither left nor entered. What is new \
            below is entered as by a transition. Timers keep their time; invocations go on. What has no place there is \
            told, and nothing is changed. docs/versioning.md tells more.
            """)

    @Argument(help: "The instances' names.", completion: Completion.instances.kind)
    var instances: [String]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The version to go to. (default: the one that new instances take)", valueName: "version"))
    var to: Int64?

    @OptionGroup var migration: MigrationOptions

    @OptionGroup var options: RepairOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Least.check("--to", to)
        _ = try options.requiredReason(of: "migrate")
        guard instances.count > 1 else { return }
        if options.expectSeq != nil { throw ValidationError("'--expect-seq' goes with one instance") }
        if options.key.key != nil { throw ValidationError("'--key' goes with one instance") }
    }

    func run(in session: Session) async throws {
        let request = MigrateRequest(
            reason: try options.requiredReason(of: "migrate"), to: to, plan: try migration.item(in: session),
            seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        for instance in instances {
            try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
                try await client.migrate(request, instance, key: key, wantsContext: session.showsContext)
            }
        }
    }
}
