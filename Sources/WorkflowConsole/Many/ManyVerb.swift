import WorkflowAPI
import WorkflowJSON

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

    /// The fields that are asked for before the rehearsal. Each is a field of the action in the API.
    var fields: [FormField] {
        switch self {
        case .retry, .skip, .suspend, .resume: []
        case .cancel: [FormField("noActions", "Run no exit actions", .tick)]
        case .set:
            [
                FormField(
                    "set", "Values by their paths, as JSON", .json,
                    note: #"Such as {"total": 12, "customer.name": "Ann"}."#),
                FormField("unset", "Paths to remove, as JSON", .json, note: #"Such as ["customer.phone"]."#),
            ]
        case .send:
            [
                FormField("event", "Event", isRequired: true), FormField("data", "Data, as JSON", .json),
            ]
        case .reset:
            [
                FormField(
                    "to", "Seq", .number, isRequired: true, note: "Each instance goes back to this seq of its own."),
                FormField("timers", "Timers", .choice(["left", "due"]), note: Self.timersNote), Self.invocations,
            ]
        case .migrate:
            [
                FormField("from", "From version", .number, note: "A migration is for one version of one machine."),
                FormField("to", "To version", .number, isRequired: true),
                FormField(
                    "plan", "Plan, as JSON", .json,
                    note: #"Such as {"map": {"shipped": "sent"}, "assign": {"price": "context.cost"}, "drop": []}."#),
                FormField("retry", "Retry the event on which they failed, in that version", .tick),
                FormField("allOrNothing", "Change nothing unless all fit", .tick),
            ]
        }
    }

    private static let timersNote =
        "left: the rest of their time counts from now, as by default; due: they keep their due time."

    /// The fate of invocations that a reset or an undo finds.
    static let invocations = FormField(
        "invocations", "Invocations that were live then", .choice(ResetRequest.Invocations.allCases.map(\.rawValue)),
        note: "again: they begin again, and services act twice; answer: they get the results that came.")

    /// Returns the request for a rehearsal with what was typed.
    func request(_ form: FormRequest, for select: BulkSelect?) throws(WireError) -> BulkRequest {
        var values = JSONObject()
        for field in fields { values["\(field.name)"] = try field.value(in: form) }
        func take(_ name: String) -> JSONValue? {
            defer { values[name] = nil }
            return values[name]
        }
        let (plan, from, isAtomic) = (take("plan"), take("from"), take("allOrNothing") != nil)
        if take("noActions") != nil { values["actions"] = .bool(false) }
        values["verb"] = .string(take("retry") == nil ? rawValue : ManyVerb.retry.rawValue)
        var request = BulkRequest(action: try BulkAction(json: .object(values)), select: select, dryRun: true)
        if let plan { request.action.plan = try MigrationPlanItem(json: plan) }
        if isAtomic { request.allOrNothing = true }
        if case .int(let version)? = from { request.select?.versions = [version] }
        return request
    }
}
