public import WorkflowJSON

/// Failed instances of one machine version that failed on the same event, for the same reason.
public struct FailureItem: Equatable, WireRecord {
    public var machine: String
    public var version: Int64
    /// The version whose definition has the state, the line and the expression; nil where that is `version`. Instances
    /// that have failed take their failure along when they go over.
    public var failedVersion: Int64?
    public var count: Int64
    /// When the first of them failed.
    public var since: WireTime
    /// The same as milliseconds until now.
    public var sinceInMilliseconds: Int64
    /// The one that failed first.
    public var instance: String
    /// On what they failed.
    public var event: String
    /// What was wrong with it.
    public var type: ProblemType
    /// The path of the state that the expression belongs to, empty for the root; nil for a livelock.
    public var state: String?
    /// Of the definition; nil for a livelock.
    public var line: Int?
    /// What failed, as the definition has it; nil for a livelock.
    public var expression: String?
    /// Why. Of an invocation it says how the last attempt failed, as a service, a program or a worker has said it;
    /// otherwise it has no values of the instances' data.
    public var message: String
    /// How the last attempt of an invocation failed, `{type, status?, message}`; nil of all else, and when it was
    /// erased.
    public var error: JSONValue?

    /// Takes the parts as they are.
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
    /// The largest first.
    public var items: [FailureItem]
    /// How many instances belong to none of the items, because there are too many; nil for none.
    public var others: Int64?

    /// Takes the parts as they are.
    public init(items: [FailureItem], others: Int64? = nil) {
        self.items = items
        self.others = others
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        others = try fields.optional("others", \.others)
    }
}

/// The query of `GET /v1/failures`.
public struct FailureParameters: Hashable, Sendable {
    /// Empty for all.
    public var machines: [String]

    /// Takes the parts as they are.
    public init(machines: [String] = []) {
        self.machines = machines
    }

    /// Reads percent-decoded parameters; unknown ones are refused, and repeated ones that do not add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine"])
        machines = try fields.strings("machine")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machines)
        return query.text
    }
}
