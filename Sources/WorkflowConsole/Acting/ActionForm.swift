import WorkflowAPI
import WorkflowCalls

/// The questions of a verb beside its reason, and the action that the answers make. They are the same for one instance
/// and for many.
struct ActionForm: Sendable {
    /// Reads the parts of an action; a mistake is collected by the reader.
    typealias Fill = @Sendable (inout BulkAction, inout FieldReader) -> Void

    let verb: BulkAction.Verb
    let fields: [FormField]
    private let fill: Fill

    init(_ verb: BulkAction.Verb, _ fields: [FormField] = [], _ fill: @escaping Fill = { _, _ in }) {
        (self.verb, self.fields, self.fill) = (verb, fields, fill)
    }

    /// Reads the action; a mistake is collected by the reader.
    func read(_ reader: inout FieldReader) -> BulkAction {
        var action = BulkAction(verb)
        fill(&action, &reader)
        return action
    }

    static let set = ActionForm(
        .set,
        [
            FormField(
                "set", "Values", .lines, as: .argument,
                hint: "One in each line, path=JSON: total=12, customer.name=\"Ann\", items[0]=null"),
            FormField("unset", "Paths to remove", .lines, as: "--unset", hint: "One in each line."),
        ]
    ) { action, reader in
        (action.set, action.unset) = (reader.values("set"), reader.lines("unset"))
        if reader.text("set") == nil, action.unset == nil {
            reader.refuse("set", "Nothing to change: give a value or a path to remove")
        }
    }

    static let cancel = ActionForm(.cancel, [FormField("noActions", "Run no exit actions", .box, as: "--no-actions")]) {
        $0.actions = $1.text("noActions") == nil ? nil : false
    }

    static let reset = ActionForm(
        .reset,
        [
            FormField("to", "Seq to return to", as: "--to", isRequired: true),
            FormField(
                "timers", "Timers of that time",
                .choice([("", "have the time that remained then"), ("due", "keep their due times")]), as: "--timers"),
            FormField("invocations", "Invocations of that time that ended", .choice(fates), as: "--invocations"),
        ]
    ) { action, reader in
        action.to = reader.number("to")
        if action.to == nil { reader.refuse("to", "The seq is missing") }
        action.timers = reader.word("timers", as: ResetRequest.Timers.self)
        action.invocations = reader.word("invocations", as: ResetRequest.Invocations.self)
    }

    static let migrate = ActionForm(
        .migrate,
        [
            FormField("to", "Version", as: "--to", hint: "Leave it empty for the one that new instances take."),
            FormField("map", "States to map", .lines, as: "--map", hint: "One in each line, old=new: pay=billing.pay"),
            FormField(
                "assign", "Values to set", .lines, as: "--assign",
                hint: "One in each line, path=CEL, from the old context: total=context.amount * 2"),
            FormField("drop", "States and values to drop", .lines, as: "--drop", hint: "One path in each line."),
            FormField(
                "timers", "New timers count",
                .choice([("", "since the entry into their state"), ("from-now", "from now")]), as: "--timers"),
            FormField(
                "cancelInvocations", "Cancel invocations that the new version does not have", .box,
                as: "--cancel-invocations"),
        ]
    ) { action, reader in
        action.to = reader.number("to")
        action.plan = MigrationPlanItem(
            map: reader.map("map"), assign: reader.map("assign"), drop: reader.lines("drop"),
            timers: reader.word("timers", as: MigrationPlanItem.Timers.self),
            cancelInvocations: reader.text("cancelInvocations").map { _ in true })
    }

    static let undo = ActionForm(
        .undo,
        [
            FormField("invocations", "Invocations that it cancelled", .choice(fates), as: "--invocations")
        ]
    ) { action, reader in
        action.invocations = reader.word("invocations", as: ResetRequest.Invocations.self)
    }

    private static let fates: [(word: String, label: String)] = [
        ("", "there are none"), ("again", "begin again: their services act twice"),
        ("answer", "have the result that came"),
    ]
}

extension BulkAction {
    /// Returns the request that carries the action out on one instance.
    func ask(because reason: String?) -> InstanceVerb.Ask {
        { name, terms, client in
            let (seq, dryRun, key) = (terms.seq, terms.dryRun, terms.key)
            let repair = RepairRequest(reason: reason, seq: seq, dryRun: dryRun)
            switch verb {
            case .retry where to == nil: return try await client.retry(repair, name, key: key)
            case .skip: return try await client.skip(repair, name, key: key)
            case .suspend: return try await client.suspend(repair, name, key: key)
            case .resume: return try await client.resume(repair, name, key: key)
            case .set:
                let request = SetRequest(reason: reason ?? "", set: set, unset: unset, seq: seq, dryRun: dryRun)
                return try await client.set(request, name, key: key)
            case .cancel:
                let request = CancelRequest(reason: reason ?? "", actions: actions, seq: seq, dryRun: dryRun)
                return try await client.cancel(request, name, key: key)
            case .reset:
                let request = ResetRequest(
                    to: to ?? 0, reason: reason ?? "", timers: timers, invocations: invocations, seq: seq,
                    dryRun: dryRun)
                return try await client.reset(request, name, key: key)
            case .migrate, .retry:
                let request = MigrateRequest(
                    reason: reason, to: to, plan: plan, retry: verb == .retry ? true : nil, seq: seq, dryRun: dryRun)
                return try await client.migrate(request, name, key: key)
            case .undo:
                let request = UndoRequest(reason: reason ?? "", invocations: invocations, seq: seq, dryRun: dryRun)
                return try await client.undoMigration(request, name, key: key)
            case .send, .delete, .redact:
                throw ClientError.problem(Problem(.internalError, detail: "'\(verb.rawValue)' has another form"))
            }
        }
    }
}
