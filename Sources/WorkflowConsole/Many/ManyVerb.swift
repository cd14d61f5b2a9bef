import WorkflowAPI

/// A verb that the console carries out for many instances. Those that erase are left to wfctl.
enum ManyVerb: String, CaseIterable {
    case retry, skip, set, suspend, resume, cancel, reset, migrate, send

    /// The words of the verb in a list of all verbs.
    var label: String {
        switch self {
        case .retry: "Retry the event on which they failed"
        case .skip: "Skip the event on which they failed"
        case .set: "Set values of the context"
        case .suspend: "Suspend"
        case .resume: "Resume"
        case .cancel: "Cancel"
        case .reset: "Reset to a seq"
        case .migrate: "Move to another version"
        case .send: "Send an event"
        }
    }

    /// The questions before the rehearsal.
    var form: ActionForm {
        switch self {
        case .retry: ActionForm(.retry)
        case .skip: ActionForm(.skip)
        case .suspend: ActionForm(.suspend)
        case .resume: ActionForm(.resume)
        case .cancel: .cancel
        case .set: .set
        case .reset: .reset
        case .migrate: Self.moving
        case .send:
            ActionForm(
                .send, [FormField("event", "Event", isRequired: true), FormField("data", "Data, as JSON", .json)]
            ) {
                ($0.event, $0.data) = ($1.required("event", "The event"), $1.json("data"))
            }
        }
    }

    /// The questions of a migration. Many instances need both versions.
    private static let moving: ActionForm = {
        var fields = ActionForm.migrate.fields
        fields.removeAll { $0.name == "to" }
        let versions = [
            FormField("from", "From version", hint: "A migration is for one version of one machine."),
            FormField("to", "To version", isRequired: true),
        ]
        let boxes = [
            FormField("retry", "Retry the event on which they failed, in that version", .box),
            FormField("allOrNothing", "Change nothing unless all fit", .box),
        ]
        return ActionForm(.migrate, versions + fields + boxes) { action, reader in
            action = ActionForm.migrate.read(&reader)
            if action.to == nil { reader.refuse("to", "The version is missing") }
            if reader.text("retry") != nil { action.verb = .retry }
        }
    }()

    /// Returns the request for a rehearsal with what was typed.
    func request(_ reader: inout FieldReader, for select: BulkSelect?) -> BulkRequest {
        var request = BulkRequest(action: form.read(&reader), select: select, dryRun: true)
        guard self == .migrate else { return request }
        if reader.text("allOrNothing") != nil { request.allOrNothing = true }
        if let version = reader.number("from") { request.select?.versions = [version] }
        return request
    }
}
