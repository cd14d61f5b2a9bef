/// The query of `GET /v1/stream` and `GET /v1/instances/NAME/stream`. The values of one parameter add up; no value
/// means all.
public struct StreamParameters: Hashable, Sendable {
    /// The names of the instances' machines; not for one instance.
    public var machines: [String]
    /// The kinds of the rows.
    public var kinds: [String]
    /// The events of the rows: a name, `name.*` for it and all names below it, or `*`.
    public var events: [String]
    /// The paths of states that the rows exited or entered.
    public var states: [String]
    /// The place after which the stream begins; `nil` for now. It is a cursor, or `start` for the first row of all, or
    /// a time for the rows that were recorded since then.
    public var after: String?

    /// Creates a value from its parts.
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

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
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

    /// The encoded query with its question mark; empty if all values are the defaults.
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
