import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl migrate`.
struct Migrate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Move instances to another version of their machine.",
        discussion: """
            $ wfctl migrate order-1042 --to 2 --map pay=billing.pay --reason OPS-12 --dry-run
            $ wfctl migrate --machine order --from 1 --to 2 --reason OPS-12 --dry-run
            $ wfctl migrate --undo ops-13 --reason OPS-12

            Each active state maps to the state of the same path, or to the one that --map names. A mapped state is \
            neither left nor entered. New states around or below it are entered as by a transition. Timers keep their \
            time; invocations continue.

            If a state, an invocation or a value has no place in the new version, nothing changes, and the exit code \
            is 65. wfd names it: add --map, --drop, --assign or --cancel-invocations. docs/versioning.md has the \
            details.

            An undo moves back each instance to which nothing has happened since the run.
            """)

    @Argument(help: "The instances' names.", completion: Completion.instances.kind)
    var instances: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The version to move to. (default: the version that new instances take)", valueName: "version"))
    var to: Int64?

    @OptionGroup var migration: MigrationOptions

    @Option(
        help: ArgumentHelp(
            "Undo a run of migrations, as 'wfctl bulk undo' does.", valueName: "run"))
    var undo: String?

    @Option(
        help: ArgumentHelp(
            "With --undo, for cancelled invocations: 'again' begins them anew; 'answer' gives them the result that "
                + "came.",
            valueName: "again|answer"),
        completion: .list(ResetRequest.Invocations.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: ResetRequest.Invocations.self) })
    var invocations: ResetRequest.Invocations?

    @Flag(help: "Migrate nothing if one of the selected instances does not fit.")
    var allOrNothing = false

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Least.check("--to", to)
        _ = try options.requiredReason(of: "migrate")
        if undo != nil {
            if !instances.isEmpty || many.isUsed || to != nil || !migration.isEmpty || allOrNothing {
                throw ValidationError("'--undo' names a run, which sets the instances, the version and the plan")
            }
            if options.expectSeq != nil || options.key.key != nil {
                throw ValidationError(
                    "'--expect-seq' and '--key' are for one instance; '--expect' and '--run' for many")
            }
            return
        }
        if invocations != nil { throw ValidationError("'--invocations' goes with '--undo'") }
        try many.check(instance: instances.first, options)
        if many.isUsed {
            if many.namesFrom == nil, !many.isForOneVersion {
                throw ValidationError("A run migrates one version: select it with '--machine' and '--from'")
            }
            if many.namesFrom != nil, to == nil { throw ValidationError("'--names-from' needs '--to'") }
        } else if allOrNothing {
            throw ValidationError("'--all-or-nothing' goes with a selection, such as '--machine'")
        }
        guard instances.count > 1 else { return }
        if options.expectSeq != nil { throw ValidationError("'--expect-seq' is for one instance") }
        if options.key.key != nil { throw ValidationError("'--key' is for one instance") }
    }

    func run(in session: Session) async throws {
        if undo != nil || many.isUsed {
            let action = try await action(in: session)
            return try await many.carryOut(action, options, allOrNothing: allOrNothing, in: session)
        }
        let request = MigrateRequest(
            reason: try options.requiredReason(of: "migrate"), to: to, plan: try migration.item(in: session),
            seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        for instance in instances {
            try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
                try await client.migrate(request, instance, key: key, wantsContext: session.showsContext)
            }
        }
    }
    /// Returns the action of a run.
    private func action(in session: Session) async throws -> BulkAction {
        if let undo {
            var action = BulkAction(.undo)
            action.undone = undo
            action.invocations = invocations
            return action
        }
        var action = BulkAction(.migrate)
        action.plan = try migration.item(in: session)
        action.to = to
        if let machine = many.machine.first, to == nil {
            let shown = try await session.withClient { try await $0.machine(machine) }
            action.to = shown.active ?? shown.version
        }
        return action
    }
}
