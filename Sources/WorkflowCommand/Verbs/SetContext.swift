import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl set`.
struct SetContext: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the context of an instance.",
        discussion: """
            $ wfctl set order-1042 total=12 'customer.name="Ann"' --reason OPS-12
            $ wfctl set order-1042 rates=@rates.json --unset customer.phone --reason OPS-13

            Values are JSON, or @FILE. Either all paths change or none, as by an action 'assign'. Then eventless \
            transitions are taken; in a failed or suspended instance, only when it continues. '--dry-run' shows the \
            old and the new values.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Argument(help: ArgumentHelp("A path into the context, and its new value.", valueName: "path=json"))
    var changes: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Remove the value at this path; may be repeated.", valueName: "path"))
    var unset: [String] = []

    @OptionGroup var options: RepairOptions

    @OptionGroup(title: "Many instances") var many: BulkOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !many.isUsed, let instance, instance.contains("=") {
            let name = changes.first { !$0.contains("=") } ?? "INSTANCE"
            throw ValidationError("The instance comes first: 'wfctl set \(name) \(instance)'")
        }
        _ = try options.requiredReason(of: "set")
        if allChanges.isEmpty, unset.isEmpty { throw ValidationError("Nothing to change: give PATH=JSON or '--unset'") }
        var paths: Set<String> = []
        for change in allChanges {
            let path = try Self.parts(of: change).left
            guard paths.insert(path).inserted else { throw ValidationError("'\(path)' is set twice") }
        }
        try many.check(instance: many.isUsed ? nil : instance, options)
    }

    /// The changes; if many instances are selected, the first argument is not a name but a change.
    private var allChanges: [String] { (many.isUsed ? [instance].compactMap(\.self) : []) + changes }

    func run(in session: Session) async throws {
        var values = JSONObject()
        for change in allChanges {
            let parts = try Self.parts(of: change)
            values[parts.left] = try value(parts.right, of: parts.left, in: session)
        }
        guard let instance, !many.isUsed else {
            let action = BulkAction(.set, set: values.isEmpty ? nil : values, unset: unset.isEmpty ? nil : unset)
            return try await many.carryOut(action, options, in: session)
        }
        let request = SetRequest(
            reason: try options.requiredReason(of: "set"), set: values.isEmpty ? nil : values,
            unset: unset.isEmpty ? nil : unset, seq: options.expectSeq, dryRun: options.dryRun ? true : nil)
        // A rehearsal for people prints the differences; other answers have only the new context.
        let isShown = options.dryRun && !session.showsContext
        let old = try await isShown ? session.withClient { try await $0.instance(instance).context } : nil
        try await options.carryOut(
            in: session, failing: nil,
            detail: { answer in
                guard let old, let new = answer.context else { return "" }
                return ContextDifference.lines(from: old, to: new)
            }
        ) { client, key throws(ClientError) in
            try await client.set(request, instance, key: key, wantsContext: session.showsContext || isShown)
        }
    }

    private static func parts(of change: String) throws -> AssignmentText {
        if let parts = AssignmentText(change) { return parts }
        throw ValidationError("'\(change)' has no value; write PATH=JSON")
    }

    private func value(_ text: String, of path: String, in session: Session) throws -> JSONValue {
        if text.hasPrefix("@") { return try DataArgument.value(of: text, in: session) }
        do {
            return try JSONReader.value(from: text)
        } catch {
            throw CommandFailure(
                .badData, "The value of '\(path)' is not JSON: \(error.description)",
                notes: ["a string needs quotes inside the quotes of the shell: '\(path)=\"…\"'"])
        }
    }
}
