public import WorkflowJSON

/// What a run does to each of its instances.
public struct BulkAction: Equatable, WireObject, WireValue {
    /// A verb that a run can do.
    public enum Verb: String, WireWord {
        case retry, skip, cancel, set, suspend, resume, send, migrate, undo, reset, delete, redact

        /// Whether somebody must say why.
        public var needsReason: Bool {
            switch self {
            case .skip, .cancel, .set, .migrate, .undo, .reset, .delete, .redact: true
            case .retry, .suspend, .resume, .send: false
            }
        }
    }

    public var verb: Verb
    /// Of `cancel`: false to run no exit actions.
    public var actions: Bool?
    /// Of `set`.
    public var set: JSONObject?
    public var unset: [String]?
    /// Of `send`.
    public var event: String?
    public var data: JSONValue?
    /// Of `migrate` and `retry`: the version to go to. Of `reset`: the seq.
    public var to: Int64?
    /// Of `migrate`, and of `retry` with `to`.
    public var plan = MigrationPlanItem()
    /// Of `undo`: the run that is undone.
    public var undone: String?
    /// Of `reset`; nil for `left`.
    public var timers: ResetRequest.Timers?
    /// Of `reset` and `undo`; nil where there must be none.
    public var invocations: ResetRequest.Invocations?
    /// Of `delete`: true to cancel calls that have not ended.
    public var cancelEffects: Bool?
    /// Of `redact`: paths into the contexts of instances that have not finished.
    public var paths: [String]?

    /// Takes the parts as they are; the others can be set.
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

    /// A field that its verb does not have is unknown.
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

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: BulkAction) {
        (book.refer(to: Self.self, fields(in: &book)), BulkAction(.retry))
    }

    private static func fields(in book: inout SchemaBook) -> JSONObject {
        var fields = MigrationPlanItem.inlinedFields(in: &book).schema["properties"]?.object ?? [:]
        let texts = JSONValue.object([String].described(in: &book).schema)
        fields["verb"] = .object(Verb.described(in: &book).schema)
        for name in ["actions", "cancelEffects"] { fields[name] = ["type": "boolean"] }
        for name in ["event", "run"] { fields[name] = ["type": "string"] }
        for name in ["unset", "paths"] { fields[name] = texts }
        fields["set"] = ["type": "object"]
        fields["data"] = [:]
        fields["to"] = ["type": "integer"]
        let timers = ResetRequest.Timers.described(in: &book).schema
        fields["timers"] = ["anyOf": .array([fields["timers"] ?? [:], .object(timers)])]
        fields["invocations"] = .object(ResetRequest.Invocations.described(in: &book).schema)
        return ["type": "object", "properties": .object(fields), "required": ["verb"]]
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
