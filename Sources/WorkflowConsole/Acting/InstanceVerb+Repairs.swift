import WorkflowAPI
import WorkflowClient

// The verbs that mend an instance, each by its own route.

extension InstanceVerb {
    /// A verb on the instance itself.
    private init(
        _ word: StaticString, _ title: String, by route: Route, _ effect: String,
        if misfit: @escaping @Sendable (Instance) -> String?, _ fields: [VerbField],
        _ order: @escaping @Sendable (inout FieldReader) -> Ask
    ) {
        (self.word, self.title, self.route, self.effect) = (word, title, route, effect)
        (self.command, self.misfit) = (["\(word)"], misfit)
        self.fields = { _, _ in fields }
        self.order = { reader, _ in Order(ask: order(&reader)) }
    }

    static let retry = InstanceVerb(
        "retry", "Retry", by: .retryInstance, "Applies the event again on which the instance failed.", if: notFailed,
        [
            VerbField(
                "to", "Version to move to first", .line, as: "--to",
                hint: "Leave it empty to stay in the version. If the event fails there again, nothing changes."),
            reason(),
        ]
    ) { reader in
        let (to, reason) = (reader.number("to"), reader.reason(isRequired: false))
        return { name, terms, client in
            guard let to else {
                let request = RepairRequest(reason: reason, seq: terms.seq, dryRun: terms.dryRun)
                return try await client.retry(request, name, key: terms.key)
            }
            let request = MigrateRequest(reason: reason, to: to, retry: true, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.migrate(request, name, key: terms.key)
        }
    }

    static let skip = InstanceVerb(
        "skip", "Skip", by: .skipInstance, "Goes on without the event on which the instance failed.", if: notFailed,
        [reason(isRequired: true)]
    ) { reader in
        let reason = reader.reason(isRequired: true)
        return { name, terms, client in
            let request = RepairRequest(reason: reason, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.skip(request, name, key: terms.key)
        }
    }

    static let set = InstanceVerb(
        "set", "Set values", by: .setInstance, "Changes the context. Either all paths change or none.", if: finished,
        [
            VerbField(
                "set", "Values", .lines, as: .argument,
                hint: "One in each line, path=JSON: total=12, customer.name=\"Ann\", items[0]=null"),
            VerbField("unset", "Paths to remove", .lines, as: "--unset", hint: "One in each line."),
            reason(isRequired: true),
        ]
    ) { reader in
        let (values, paths) = (reader.values("set"), reader.lines("unset"))
        if values == nil, paths == nil, reader.text("set") == nil {
            reader.refuse("set", "Nothing to change: give a value or a path to remove")
        }
        let reason = reader.reason(isRequired: true) ?? ""
        return { name, terms, client in
            let request = SetRequest(
                reason: reason, set: values, unset: paths, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.set(request, name, key: terms.key)
        }
    }

    static let suspend = InstanceVerb(
        "suspend", "Suspend", by: .suspendInstance, "Stops the instance: events are refused, timers and results wait.",
        if: notRunning, [reason()]
    ) { reader in
        let reason = reader.reason(isRequired: false)
        return { name, terms, client in
            let request = RepairRequest(reason: reason, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.suspend(request, name, key: terms.key)
        }
    }

    static let resume = InstanceVerb(
        "resume", "Resume", by: .resumeInstance, "Lets the suspended instance go on with what has waited.",
        if: { $0.status == .suspended ? nil : "it is not suspended" }, [reason()]
    ) { reader in
        let reason = reader.reason(isRequired: false)
        return { name, terms, client in
            let request = RepairRequest(reason: reason, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.resume(request, name, key: terms.key)
        }
    }

    static let cancel = InstanceVerb(
        "cancel", "Cancel", by: .cancelInstance, "Ends the instance in its current state. It cannot go on then.",
        if: finished,
        [VerbField("noActions", "Run no exit actions", .box, as: "--no-actions"), reason(isRequired: true)]
    ) { reader in
        let (actions, reason) = (reader.text("noActions") == nil, reader.reason(isRequired: true) ?? "")
        return { name, terms, client in
            let request = CancelRequest(
                reason: reason, actions: actions ? nil : false, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.cancel(request, name, key: terms.key)
        }
    }

    static let reset = InstanceVerb(
        "reset", "Reset", by: .resetInstance,
        "Returns the instance to its state after an earlier seq. Calls that it made since stay made.", if: { _ in nil },
        [
            VerbField("to", "Seq to return to", .line, as: "--to", isRequired: true),
            VerbField(
                "timers", "Timers of that time",
                .choice([("", "have the time that remained then"), ("due", "keep their due times")]), as: "--timers"),
            VerbField("invocations", "Invocations of that time that ended", .choice(fates), as: "--invocations"),
            reason(isRequired: true),
        ]
    ) { reader in
        let to = reader.number("to")
        if to == nil { reader.refuse("to", "The seq is missing") }
        let timers = reader.word("timers", as: ResetRequest.Timers.self)
        let invocations = reader.word("invocations", as: ResetRequest.Invocations.self)
        let reason = reader.reason(isRequired: true) ?? ""
        return { name, terms, client in
            let request = ResetRequest(
                to: to ?? 0, reason: reason, timers: timers, invocations: invocations, seq: terms.seq,
                dryRun: terms.dryRun)
            return try await client.reset(request, name, key: terms.key)
        }
    }

    static let migrate = InstanceVerb(
        "migrate", "Migrate", by: .migrateInstance, "Moves the instance to another version of its machine.",
        if: finished,
        [
            VerbField("to", "Version", .line, as: "--to", hint: "Leave it empty for the one that new instances take."),
            VerbField("map", "States to map", .lines, as: "--map", hint: "One in each line, old=new: pay=billing.pay"),
            VerbField(
                "assign", "Values to set", .lines, as: "--assign",
                hint: "One in each line, path=CEL, from the old context: total=context.amount * 2"),
            VerbField("drop", "States and values to drop", .lines, as: "--drop", hint: "One path in each line."),
            VerbField(
                "timers", "New timers count",
                .choice([("", "since the entry into their state"), ("from-now", "from now")]), as: "--timers"),
            VerbField(
                "cancelInvocations", "Cancel invocations that the new version does not have", .box,
                as: "--cancel-invocations"),
            reason(isRequired: true),
        ]
    ) { reader in
        let to = reader.number("to")
        let plan = MigrationPlanItem(
            map: reader.map("map"), assign: reader.map("assign"), drop: reader.lines("drop"),
            timers: reader.word("timers", as: MigrationPlanItem.Timers.self),
            cancelInvocations: reader.text("cancelInvocations").map { _ in true })
        let reason = reader.reason(isRequired: true)
        return { name, terms, client in
            let request = MigrateRequest(reason: reason, to: to, plan: plan, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.migrate(request, name, key: terms.key)
        }
    }

    static let undo = InstanceVerb(
        "undo", "Undo a migration", by: .undoMigration,
        "Takes the last migration back, if nothing has happened to the instance since.", if: { _ in nil },
        [
            VerbField("invocations", "Invocations that it cancelled", .choice(fates), as: "--invocations"),
            reason(isRequired: true),
        ]
    ) { reader in
        let invocations = reader.word("invocations", as: ResetRequest.Invocations.self)
        let reason = reader.reason(isRequired: true) ?? ""
        return { name, terms, client in
            let request = UndoRequest(
                reason: reason, invocations: invocations, seq: terms.seq, dryRun: terms.dryRun)
            return try await client.undoMigration(request, name, key: terms.key)
        }
    }
}

// MARK: What verbs share

extension InstanceVerb {
    static func reason(isRequired: Bool = false) -> VerbField {
        VerbField(
            "reason", "Reason", .line, as: "--reason", isRequired: isRequired, hint: "It is recorded in the history.")
    }

    private static let fates: [(word: String, label: String)] = [
        ("", "there are none"), ("again", "begin again: their services act twice"),
        ("answer", "have the result that came"),
    ]

    private static func notFailed(_ instance: Instance) -> String? {
        instance.status == .failed ? nil : "it has not failed"
    }

    private static func finished(_ instance: Instance) -> String? {
        instance.status == .done || instance.status == .cancelled ? "it is \(instance.status.rawValue)" : nil
    }

    static func notRunning(_ instance: Instance) -> String? {
        instance.status == .running ? nil : "it is \(instance.status.rawValue)"
    }
}
