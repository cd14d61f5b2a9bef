import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl retry`.
struct Retry: Verb {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry the event on which an instance failed.",
        discussion: """
            $ wfctl retry order-1042

            'wfctl show' names the event and the reason. If the instance fails again, the history gets a row, and the \
            exit code is 5. To prevent that, first correct the context with 'wfctl set', or drop the event with 'wfctl \
            skip'.

            With --to, the instance first moves to that version, as by 'wfctl migrate'. If it would fail again there, \
            nothing changes.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move the instance to this version first, unless it would fail again there.", valueName: "version"))
    var to: Int64?

    @OptionGroup var migration: MigrationOptions

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    /// Returns the remedy for an instance that failed on an event. The same error of an invocation would fail the
    /// instance again.
    static func hint(_ instance: String, after event: String) -> String {
        guard event.hasPrefix(EventName.failed) else { return "'wfctl retry \(instance)' applies the event again" }
        let id = event.dropFirst(EventName.failed.count)
        return "'wfctl effects retry \(instance) \(id)' tries it again, 'wfctl effects skip' gives it a result"
    }

    func validate() throws {
        try many.check(instance: instance, options)
        try Least.check("--to", to)
        if to == nil, !migration.isEmpty { throw ValidationError("Migration options such as '--map' need '--to'") }
        if to != nil, many.isUsed, many.namesFrom == nil, !many.isForOneVersion {
            throw ValidationError("'--to' needs instances of one version: select them with '--machine' and '--from'")
        }
    }

    func run(in session: Session) async throws {
        guard let instance else {
            var action = BulkAction(.retry)
            action.to = to
            if to != nil { action.plan = try migration.item(in: session) }
            return try await many.carryOut(action, options, in: session)
        }
        if let to {
            let request = MigrateRequest(
                reason: options.reason, to: to, plan: try migration.item(in: session), retry: true,
                seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
            return try await options.carryOut(in: session, failing: nil) { client, key throws(ClientError) in
                try await client.migrate(request, instance, key: key, wantsContext: session.showsContext)
            }
        }
        try await options.carryOut(in: session, isEvent: true, failing: "has failed again") {
            client, key throws(ClientError) in
            try await client.retry(options.request, instance, key: key, wantsContext: session.showsContext)
        }
    }
}

extension Session {
    /// Throws the failure of a command that was carried out and left its instance failed, with the reason.
    func throwFailure(of instance: String, _ what: String) async throws -> Never {
        // The command is done; an unreadable reason is not a failure of the command.
        throw CommandFailure(instance, what, try? await withClient { try await $0.instance(instance).failure })
    }
}

extension CommandFailure {
    /// Creates the failure of a dry run after which the instance would be failed.
    init(wouldFail answer: SendAnswer) {
        self.init(.refused, "\(answer.instance) would fail", notes: [answer.failure?.detail].compactMap(\.self))
    }

    /// Creates the failure of a command that was carried out, after which the instance failed.
    init(_ instance: String, _ what: String, _ failure: Instance.Failure?) {
        self.init(
            .refused, "\(instance) \(what)",
            notes: [failure?.detail ?? "'wfctl show \(instance)' shows the event and the reason"])
    }
}
