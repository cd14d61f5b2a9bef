import WorkflowAPI
import WorkflowCalls

// The verbs that mend an instance, each by its own route.

extension InstanceVerb {
    /// A verb on the instance itself.
    private init(
        _ word: StaticString, _ title: String, by route: Route, _ effect: String,
        if misfit: @escaping @Sendable (Standing) -> String?, _ form: ActionForm
    ) {
        (self.word, self.title, self.route, self.effect) = (word, title, route, effect)
        (self.command, self.misfit) = (["\(word)"], misfit)
        self.fields = { _, _ in form.fields + [Self.reason(isRequired: form.verb.needsReason)] }
        self.order = { reader, _ in
            let (action, reason) = (form.read(&reader), reader.reason(isRequired: form.verb.needsReason))
            return Order(ask: action.ask(because: reason))
        }
    }

    static let retry = InstanceVerb(
        "retry", "Retry", by: .retryInstance, "Applies the event again on which the instance failed.", if: \.notFailed,
        ActionForm(
            .retry,
            [
                FormField(
                    "to", "Version to move to first", as: "--to",
                    hint: "Leave it empty to stay in the version. If the event fails there again, nothing changes.")
            ]
        ) { $0.to = $1.number("to") })

    static let skip = InstanceVerb(
        "skip", "Skip", by: .skipInstance, "Goes on without the event on which the instance failed.", if: \.notFailed,
        ActionForm(.skip))

    static let set = InstanceVerb(
        "set", "Set values", by: .setInstance, "Changes the context. Either all paths change or none.", if: \.finished,
        .set)

    static let suspend = InstanceVerb(
        "suspend", "Suspend", by: .suspendInstance,
        "Stops the instance: events are refused, timers and results wait.", if: \.notRunning, ActionForm(.suspend))

    static let resume = InstanceVerb(
        "resume", "Resume", by: .resumeInstance, "Lets the suspended instance go on with what has waited.",
        if: \.notSuspended, ActionForm(.resume))

    static let cancel = InstanceVerb(
        "cancel", "Cancel", by: .cancelInstance, "Ends the instance in its current state. It cannot go on then.",
        if: \.finished, .cancel)

    static let reset = InstanceVerb(
        "reset", "Reset", by: .resetInstance,
        "Returns the instance to its state after an earlier seq. Calls that it made since stay made.", if: { _ in nil },
        .reset)

    static let migrate = InstanceVerb(
        "migrate", "Migrate", by: .migrateInstance, "Moves the instance to another version of its machine.",
        if: \.hasNoWayOn, .migrate)

    static let undo = InstanceVerb(
        "undo", "Undo a migration", by: .undoMigration,
        "Takes the last migration back, if nothing has happened to the instance since.", if: \.notMigrated, .undo)
}

// MARK: What verbs share

extension InstanceVerb {
    static func reason(isRequired: Bool = false) -> FormField {
        FormField("reason", "Reason", as: "--reason", isRequired: isRequired, hint: "It is recorded in the history.")
    }
}
