public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/effects/ID`.
public struct EffectVerbRequest: Equatable, WireRecord {
    /// An operator's decision about an effect.
    public enum Action: String, WireWord {
        /// Try the effect at once, and count its attempts anew.
        case retry
        /// End the effect with `result`.
        case skip
        /// End the effect with an error of type `cancelled`.
        case cancel
    }

    public var action: Action
    /// The seq that began the effect, as in `EffectItem`; `nil` for any.
    public var seq: Int64?
    /// The result that `skip` gives to the instance; `nil` for null.
    public var result: JSONValue?
    /// `retry` only: true to hide the former key from the service.
    public var newKey: Bool?
    /// The reason for the history.
    public var reason: String?
    /// True to return the outcome without changing anything.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        action: Action, seq: Int64? = nil, result: JSONValue? = nil, newKey: Bool? = nil, reason: String? = nil,
        dryRun: Bool? = nil
    ) {
        self.action = action
        self.seq = seq
        self.result = result
        self.newKey = newKey
        self.reason = reason
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        action = try fields.required("action", \.action)
        seq = try fields.optional("seq", \.seq)
        result = try fields.optional("result", \.result)
        newKey = try fields.optional("newKey", \.newKey)
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    public func check() throws(WireError) {
        if result != nil, action != .skip {
            throw WireError(.invalidValue, path: "result", message: "Field 'result' goes with 'skip' only")
        }
        if newKey != nil, action != .retry {
            throw WireError(.invalidValue, path: "newKey", message: "Field 'newKey' goes with 'retry' only")
        }
    }
}

/// The answer to `POST /v1/instances/NAME/effects/ID`.
public struct EffectVerbAnswer: Equatable, WireRecord {
    public var instance: String
    /// The id of the invocation, or the name of a call.
    public var id: String
    public var action: EffectVerbRequest.Action
    /// The seq of the row that records the verb.
    public var seq: Int64
    /// The paths of the active leaves before the verb.
    public var from: [String]
    /// The paths of the active leaves after the verb.
    public var to: [String]
    /// The status of the instance after the verb; `nil` in an answer that is repeated.
    public var status: Instance.Status?
    /// True if the instance has failed on the result; otherwise `nil`.
    public var failed: Bool?
    /// `retry` only: the reason why the effect does not start yet.
    public var turn: EffectItem.Turn?
    /// True if nothing was changed; otherwise `nil`.
    public var dryRun: Bool?
    /// True if this repeats the answer to an earlier request with the same key; otherwise `nil`.
    public var repeated: Bool?

    /// Creates a value from its parts.
    public init(
        instance: String, id: String, action: EffectVerbRequest.Action, seq: Int64, from: [String], to: [String],
        status: Instance.Status? = nil, failed: Bool? = nil, turn: EffectItem.Turn? = nil, dryRun: Bool? = nil,
        repeated: Bool? = nil
    ) {
        self.instance = instance
        self.id = id
        self.action = action
        self.seq = seq
        self.from = from
        self.to = to
        self.status = status
        self.failed = failed
        self.turn = turn
        self.dryRun = dryRun
        self.repeated = repeated
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        id = try fields.required("id", \.id)
        action = try fields.required("action", \.action)
        seq = try fields.required("seq", \.seq)
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        status = try fields.optional("status", \.status)
        failed = try fields.optional("failed", \.failed)
        turn = try fields.optional("turn", \.turn)
        dryRun = try fields.optional("dryRun", \.dryRun)
        repeated = try fields.optional("repeated", \.repeated)
    }
}
