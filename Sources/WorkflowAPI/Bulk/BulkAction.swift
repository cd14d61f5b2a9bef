public import WorkflowJSON

/// The action that a run carries out for each of its instances.
public struct BulkAction: Equatable, WireObject, WireValue {
    /// A verb that a run supports.
    public enum Verb: String, WireWord {
        case retry, skip, cancel, set, suspend, resume, send, migrate, undo, reset, delete, redact

        /// True if the request must have a reason.
        public var needsReason: Bool { ![.retry, .suspend, .resume, .send].contains(self) }
    }

    public var verb: Verb
    /// `cancel` only: false to run no exit actions.
    public var actions: Bool?
    /// `set` only: the values to set, as in `SetRequest`.
    public var set: JSONObject?
    /// `set` only: the paths to remove.
    public var unset: [String]?
    /// `send` only: the name of the event.
    public var event: String?
    /// `send` only: the event's data.
    public var data: JSONValue?
    /// The target version of `migrate` and `retry`, or the seq to which `reset` goes back.
    public var to: Int64?
    /// The plan of `migrate`, and of `retry` with `to`.
    public var plan = MigrationPlanItem()
    /// `undo` only: the name of the run to undo.
    public var undone: String?
    /// `reset` only: the due times of the timers; `nil` for `left`.
    public var timers: ResetRequest.Timers?
    /// `reset` and `undo` only: the fate of the invocations; `nil` to refuse if there are any.
    public var invocations: ResetRequest.Invocations?
    /// `delete` only: true to cancel calls that have not ended.
    public var cancelEffects: Bool?
    /// `redact` only: paths into the contexts of instances that have not finished.
    public var paths: [String]?

    /// Creates an action from its verb and some of its parts; the other parts can be set.
    public init(
        _ verb: Verb, actions: Bool? = nil, set: JSONObject? = nil, unset: [String]? = nil, event: String? = nil,
        data: JSONValue? = nil
    ) {
        self.verb = verb
        self.actions = actions
        self.set = set
        self.unset = unset
        self.event = event
        self.data = data
    }

    /// Reads an action. Refuses fields that belong to other verbs.
    public init(fields: inout WireFields) throws(WireError) {
        verb = try fields.required("verb")
        switch verb {
        case .skip, .suspend, .resume: break
        case .cancel: actions = try fields.optional("actions")
        case .set:
            set = try fields.optional("set")
            unset = try fields.optional("unset")
            if set?.isEmpty ?? true, unset?.isEmpty ?? true {
                throw WireError(.missingField, path: "action.set", message: "Say what to change: 'set' or 'unset'")
            }
        case .send:
            event = try fields.required("event")
            data = try fields.optional("data")
        case .retry:
            to = try fields.optional("to")
            if to != nil { plan = try MigrationPlanItem(fields: &fields) }
        case .migrate:
            to = try fields.required("to")
            plan = try MigrationPlanItem(fields: &fields)
        case .reset:
            to = try fields.required("to")
            timers = try fields.optional("timers")
            invocations = try fields.optional("invocations")
        case .undo:
            undone = try fields.required("run")
            invocations = try fields.optional("invocations")
        case .delete: cancelEffects = try fields.optional("cancelEffects")
        case .redact: paths = try fields.optional("paths")
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("verb", verb)
            writer.field("actions", ifPresent: actions)
            writer.field("set", ifPresent: set)
            writer.field("unset", ifPresent: unset)
            writer.field("event", ifPresent: event)
            writer.field("data", ifPresent: data)
            writer.field("run", ifPresent: undone)
            writer.field("to", ifPresent: to)
            plan.writeFields(to: &writer)
            writer.field("timers", ifPresent: timers)
            writer.field("invocations", ifPresent: invocations)
            writer.field("cancelEffects", ifPresent: cancelEffects)
            writer.field("paths", ifPresent: paths)
        }
    }
}
