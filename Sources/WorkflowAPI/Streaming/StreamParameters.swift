/// The query of `GET /v1/stream` and `GET /v1/instances/NAME/stream`. Values of one parameter add up; none is all.
public struct StreamParameters: Hashable, Sendable {
    /// Only instances of these machines; not for one instance.
    public var machines: [String]
    /// Only rows of these kinds.
    public var kinds: [String]
    /// Only rows of these events: a name, `name.*` for it and all below it, or `*`.
    public var events: [String]
    /// Only rows that left or entered one of these states, by their paths.
    public var states: [String]
    /// The cursor behind which it begins, the text of a `WireTime` for the rows that were recorded since then, or
    /// `EventStream.start`; nil for now.
    public var after: String?

    /// Takes the parts as they are.
    public init(
        machines: [String] = [], kinds: [String] = [], events: [String] = [], states: [String] = [],
        after: String? = nil
    ) {
        self.machines = machines
        self.kinds = kinds
        self.events = events
        self.states = states
        self.after = after
    }

    /// Reads percent-decoded parameters; unknown ones are refused, and repeated ones that do not add up.
    public init(query: [(name: String, value: String)], ofInstance: Bool) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine", "kind", "event", "state"])
        machines = []
        if !ofInstance { machines = try fields.strings("machine") }
        kinds = try fields.strings("kind")
        events = try fields.strings("event")
        states = try fields.strings("state")
        after = try fields.string("after")
        try fields.refuseUnknown()
        for event in events where event.hasSuffix("*") && event != "*" && !event.hasSuffix(".*") {
            throw WireError(
                .invalidParameter, path: "event",
                message: "Parameter 'event' must be a name, 'NAME.*' or '*', not '\(event)'")
        }
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machines)
        query.add("kind", kinds)
        query.add("event", events)
        query.add("state", states)
        query.add("after", after)
        return query.text
    }
}
