/// The query of `GET /v1/stream` and `GET /v1/instances/NAME/stream`.
public struct StreamParameters: Hashable, Sendable {
    /// Only instances of this machine; not for one instance.
    public var machine: String?
    /// Only rows of this kind.
    public var kind: String?
    /// Only rows of these events: a name, `name.*` for it and all below it, or `*`.
    public var event: String?
    /// Only rows that left or entered this state, by its path.
    public var state: String?
    /// The cursor behind which it begins, or `EventStream.start`; nil for now.
    public var after: String?

    /// Takes the parts as they are.
    public init(
        machine: String? = nil, kind: String? = nil, event: String? = nil, state: String? = nil, after: String? = nil
    ) {
        self.machine = machine
        self.kind = kind
        self.event = event
        self.state = state
        self.after = after
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
    public init(query: [(name: String, value: String)], ofInstance: Bool) throws(WireError) {
        var fields = try QueryFields(query)
        if !ofInstance { machine = try fields.string("machine") }
        kind = try fields.string("kind")
        event = try fields.string("event")
        state = try fields.string("state")
        after = try fields.string("after")
        try fields.refuseUnknown()
        if let event, event.hasSuffix("*"), event != "*", !event.hasSuffix(".*") {
            throw WireError(
                .invalidParameter, path: "event",
                message: "Parameter 'event' must be a name, 'NAME.*' or '*', not '\(event)'")
        }
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machine)
        query.add("kind", kind)
        query.add("event", event)
        query.add("state", state)
        query.add("after", after)
        return query.text
    }
}
