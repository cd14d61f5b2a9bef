public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/effects/ID`.
public struct EffectVerbRequest: Equatable, WireRecord {
    /// What becomes of an effect.
    public enum Action: String, WireWord {
        /// It is tried at once, and its attempts are counted anew.
        case retry
        /// It has ended with `result`.
        case skip
        /// It has ended with an error of type `cancelled`.
        case cancel
    }

    public var action: Action
    /// The seq that began the effect, as `EffectItem` tells it; nil for any.
    public var seq: Int64?
    /// What `skip` gives the instance; nil for null.
    public var result: JSONValue?
    /// Of `retry`: whether the service is to see another key.
    public var newKey: Bool?
    /// For the history.
    public var reason: String?

    /// Takes the parts as they are.
    public init(
        action: Action, seq: Int64? = nil, result: JSONValue? = nil, newKey: Bool? = nil, reason: String? = nil
    ) {
        self.action = action
        self.seq = seq
        self.result = result
        self.newKey = newKey
        self.reason = reason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        action = try fields.required("action", \.action)
        seq = try fields.optional("seq", \.seq)
        result = try fields.optional("result", \.result)
        newKey = try fields.optional("newKey", \.newKey)
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
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
    /// Of the row of the history that records it.
    public var seq: Int64
    /// Paths of the active leaves before.
    public var from: [String]
    /// The same after the result that was given.
    public var to: [String]
    /// True when the instance has failed on the result.
    public var failed: Bool?
    /// Of `retry`: why it does not start so far.
    public var turn: EffectItem.Turn?
    /// True when this is the answer to an earlier request with the same key, given again.
    public var repeated: Bool?

    /// Takes the parts as they are.
    public init(
        instance: String, id: String, action: EffectVerbRequest.Action, seq: Int64, from: [String], to: [String],
        failed: Bool? = nil, turn: EffectItem.Turn? = nil, repeated: Bool? = nil
    ) {
        self.instance = instance
        self.id = id
        self.action = action
        self.seq = seq
        self.from = from
        self.to = to
        self.failed = failed
        self.turn = turn
        self.repeated = repeated
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        id = try fields.required("id", \.id)
        action = try fields.required("action", \.action)
        seq = try fields.required("seq", \.seq)
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        failed = try fields.optional("failed", \.failed)
        turn = try fields.optional("turn", \.turn)
        repeated = try fields.optional("repeated", \.repeated)
    }
}
