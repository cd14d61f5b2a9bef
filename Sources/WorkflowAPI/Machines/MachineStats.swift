/// The answer of `GET /v1/machines/NAME/stats`: what the histories of a machine's instances say together.
public struct MachineStats: Equatable, WireRecord {
    public var machine: String
    /// The version whose rows are counted; `nil` for all.
    public var version: Int64?
    /// The time from which on rows are counted, rounded down from the requested one; `nil` for all rows.
    public var since: WireTime?
    /// True if all rows that were there when the request came are counted. Otherwise ask again to go on.
    public var complete: Bool
    /// The approximate number of journal rows that were read, of any machine, and of those to read.
    public var progress: WorkProgress
    /// The number of counted rows.
    public var rows: Int64
    /// The number of rows that were counted for this request.
    public var read: Int64
    /// The states, in the order of their paths.
    public var states: [StateStats]
    /// The transitions, the most frequent first.
    public var transitions: [TransitionStats]
    /// The causes of failures, the most frequent first.
    public var failures: [FailureStats]
    /// The numbers that are in none of the lists, because there are too many; `nil` if there are none.
    public var others: OtherStats?

    /// Creates a value from its parts.
    public init(
        machine: String, version: Int64? = nil, since: WireTime? = nil, complete: Bool, progress: WorkProgress,
        rows: Int64, read: Int64, states: [StateStats] = [], transitions: [TransitionStats] = [],
        failures: [FailureStats] = [], others: OtherStats? = nil
    ) {
        self.machine = machine
        self.version = version
        self.since = since
        self.complete = complete
        self.progress = progress
        self.rows = rows
        self.read = read
        self.states = states
        self.transitions = transitions
        self.failures = failures
        self.others = others
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        version = try fields.optional("version", \.version)
        since = try fields.optional("since", \.since)
        complete = try fields.required("complete", \.complete)
        progress = try fields.required("progress", \.progress)
        rows = try fields.required("rows", \.rows)
        read = try fields.required("read", \.read)
        states = try fields.required("states", \.states)
        transitions = try fields.required("transitions", \.transitions)
        failures = try fields.required("failures", \.failures)
        others = try fields.optional("others", \.others)
    }
}

/// The numbers that `MachineStats` does not list.
public struct OtherStats: Equatable, WireRecord {
    /// The number of rows that entered or left a state that is not listed.
    public var states: Int64
    /// The number of rows with a transition that is not listed.
    public var transitions: Int64
    /// The number of failures with a cause that is not listed.
    public var failures: Int64

    /// Creates a value from its parts.
    public init(states: Int64, transitions: Int64, failures: Int64) {
        self.states = states
        self.transitions = transitions
        self.failures = failures
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        states = try fields.required("states", \.states)
        transitions = try fields.required("transitions", \.transitions)
        failures = try fields.required("failures", \.failures)
    }
}

/// The query of `GET /v1/machines/NAME/stats`.
public struct StatsParameters: Hashable, Sendable {
    /// The time from which on rows count; `nil` for all rows.
    public var since: WireTime?
    /// The version whose rows count; `nil` for all.
    public var version: Int64?

    /// Creates a value from its parts.
    public init(since: WireTime? = nil, version: Int64? = nil) {
        self.since = since
        self.version = version
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        since = try fields.time("since")
        version = try fields.int("version", in: 1...Int64.max)
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("since", since?.text)
        query.add("version", version)
        return query.text
    }
}
