/// A change of states by an event, and the number of rows with it.
public struct TransitionStats: Equatable, WireRecord {
    public var event: String
    /// The paths of the leaves that were left. If the event changed no state, all active leaves, as in `to`.
    public var from: [String]
    /// The paths of the leaves that were entered.
    public var to: [String]
    /// The number of rows.
    public var count: Int64

    /// Creates a value from its parts.
    public init(event: String, from: [String], to: [String], count: Int64) {
        self.event = event
        self.from = from
        self.to = to
        self.count = count
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        count = try fields.required("count", \.count)
    }
}

/// A cause of failures, and the number of rows with it. A retry that fails again is another row.
public struct FailureStats: Equatable, WireRecord {
    /// The event that instances failed on.
    public var event: String
    /// The type of the failure; `nil` if a redaction erased the cause, as are the following.
    public var type: ProblemType?
    /// The path of the state that the expression belongs to, empty for the root; `nil` for a livelock.
    public var state: String?
    /// The line in the definition; `nil` for a livelock.
    public var line: Int?
    /// The failed expression as in the definition; `nil` for a livelock.
    public var expression: String?
    /// The reason, without values of the instances' data.
    public var message: String?
    /// The number of rows.
    public var count: Int64

    /// Creates a value from its parts.
    public init(
        event: String, type: ProblemType? = nil, state: String? = nil, line: Int? = nil, expression: String? = nil,
        message: String? = nil, count: Int64
    ) {
        self.event = event
        self.type = type
        self.state = state
        self.line = line
        self.expression = expression
        self.message = message
        self.count = count
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        type = try fields.optional("type", \.type)
        state = try fields.optional("state", \.state)
        line = try fields.optional("line", \.line)
        expression = try fields.optional("expression", \.expression)
        message = try fields.optional("message", \.message)
        count = try fields.required("count", \.count)
    }
}
