public import WorkflowJSON

/// Failed instances of one machine version that failed on the same event, for the same reason.
public struct FailureItem: Equatable, WireRecord {
    public var machine: String
    public var version: Int64
    /// The version whose definition has the state, the line and the expression; `nil` if it is `version`. It differs if
    /// instances migrated after they failed, because the failure stays with them.
    public var failedVersion: Int64?
    /// The number of instances in the group.
    public var count: Int64
    /// The time when the first of the instances failed.
    public var since: WireTime
    /// The milliseconds from `since` until now.
    public var sinceInMilliseconds: Int64
    /// The instance that failed first.
    public var instance: String
    /// The event that the instances failed on.
    public var event: String
    /// The type of the failure.
    public var type: ProblemType
    /// The path of the state that the expression belongs to, empty for the root; `nil` for a livelock.
    public var state: String?
    /// The line in the definition; `nil` for a livelock.
    public var line: Int?
    /// The failed expression as in the definition; `nil` for a livelock.
    public var expression: String?
    /// The reason. For an invocation it has the last error text of the service, the program or the worker; otherwise it
    /// has no values of the instances' data.
    public var message: String
    /// The error of an invocation's last attempt, `{type, status?, message}`; `nil` for all other failures, and if the
    /// error was erased.
    public var error: JSONValue?

    /// Creates a value from its parts.
    public init(
        machine: String, version: Int64, failedVersion: Int64? = nil, count: Int64, since: WireTime,
        sinceInMilliseconds: Int64, instance: String, event: String, type: ProblemType, state: String? = nil,
        line: Int? = nil, expression: String? = nil, message: String, error: JSONValue? = nil
    ) {
        self.machine = machine
        self.version = version
        self.failedVersion = failedVersion
        self.count = count
        self.since = since
        self.sinceInMilliseconds = sinceInMilliseconds
        self.instance = instance
        self.event = event
        self.type = type
        self.state = state
        self.line = line
        self.expression = expression
        self.message = message
        self.error = error
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        version = try fields.required("version", \.version)
        failedVersion = try fields.optional("failedVersion", \.failedVersion)
        count = try fields.required("count", \.count)
        since = try fields.required("since", \.since)
        sinceInMilliseconds = try fields.required("sinceInMilliseconds", \.sinceInMilliseconds)
        instance = try fields.required("instance", \.instance)
        event = try fields.required("event", \.event)
        type = try fields.required("type", \.type)
        state = try fields.optional("state", \.state)
        line = try fields.optional("line", \.line)
        expression = try fields.optional("expression", \.expression)
        message = try fields.required("message", \.message)
        error = try fields.optional("error", \.error)
    }
}

/// The answer of `GET /v1/failures`.
public struct FailureList: Equatable, WireRecord {
    /// The groups, the largest first.
    public var items: [FailureItem]
    /// The number of instances in none of the items, because there are too many groups; `nil` if there are none.
    public var others: Int64?
    /// The number of failed instances whose reason was redacted; `nil` if there are none.
    public var redacted: Int64?

    /// Creates a value from its parts.
    public init(items: [FailureItem], others: Int64? = nil, redacted: Int64? = nil) {
        self.items = items
        self.others = others
        self.redacted = redacted
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        others = try fields.optional("others", \.others)
        redacted = try fields.optional("redacted", \.redacted)
    }
}

/// The query of `GET /v1/failures`.
public struct FailureParameters: Hashable, Sendable {
    /// The names of the machines; empty for all.
    public var machines: [String]

    /// Creates a value from its parts.
    public init(machines: [String] = []) {
        self.machines = machines
    }

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine"])
        machines = try fields.strings("machine")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machines)
        return query.text
    }
}
