import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl delete`.
struct Delete: Verb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an instance with its history.",
        discussion: """
            $ wfctl delete order-1042 --reason 'GDPR request 17'

            The instance disappears from all lists, and its name is free at once. 'wfctl audit' lists the deletion, \
            without the name.

            wfd refuses an unfinished instance unless --confirm repeats its name. It then cancels the instance first, \
            without exit actions. wfd also refuses while a call of the instance has not ended: wait, or use \
            --cancel-effects. A selection deletes only finished instances.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(help: ArgumentHelp("Delete the instance although it has not finished; repeat its name.", valueName: "name"))
    var confirm: String?

    @Flag(help: "Cancel the instance's calls that have not ended.")
    var cancelEffects = false

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        _ = try options.requiredReason(of: "delete")
        try many.check(instance: instance, options)
        if confirm != nil, instance == nil { throw ValidationError("'--confirm' is for one instance") }
        if let confirm, let instance, confirm != instance {
            throw ValidationError("'--confirm' must repeat the name '\(instance)', not '\(confirm)'")
        }
    }

    func run(in session: Session) async throws {
        guard let instance else {
            var action = BulkAction(.delete)
            if cancelEffects { action.cancelEffects = true }
            return try await many.carryOut(action, options, in: session)
        }
        let parameters = DeleteParameters(
            reason: try options.requiredReason(of: "delete"), confirm: confirm, cancelEffects: cancelEffects,
            dryRun: options.dryRun)
        let answer = try await options.key.persist(in: session) { client, key throws(ClientError) in
            try await client.delete(
                instance, parameters, seq: options.expectSeq, key: parameters.dryRun ? nil : key)
        }
        try session.print(answer) { Self.text(of: answer) }
    }

    private static func text(of answer: DeletedInstance) -> StyledText {
        let rows = "\(answer.rows) row\(answer.rows == 1 ? "" : "s")"
        let isTrial = answer.dryRun == true
        var text: StyledText =
            "\(answer.instance): \(isTrial ? "would be deleted" : "deleted")   "
            + "(\(rows)\(isTrial ? ", dry run: nothing was changed" : ""))\n"
        for name in answer.cancelled ?? [] { text = text + "  cancels: \(name)\n" }
        if let pending = answer.pending { text = text + "  pending: \(pending)\n" }
        return text
    }
}
