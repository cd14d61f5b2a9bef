/// The query of `GET /v1/instances/NAME`.
public struct ShowParameters: Hashable, Sendable {
    /// The macrostep after which the instance is shown; `nil` for the present.
    public var seq: Int64?

    /// Creates a value from its parts.
    public init(seq: Int64? = nil) {
        self.seq = seq
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        seq = try fields.int("seq", in: 1...Int64.max)
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("seq", seq)
        return query.text
    }
}

/// The query of `GET /v1/instances/NAME/replay`.
public struct ReplayParameters: Hashable, Sendable {
    /// The first seq; `nil` for 1.
    public var from: Int64?
    /// The last seq; `nil` for the latest.
    public var to: Int64?
    /// True to include the microsteps.
    public var trace: Bool

    /// Creates a value from its parts.
    public init(from: Int64? = nil, to: Int64? = nil, trace: Bool = false) {
        self.from = from
        self.to = to
        self.trace = trace
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        from = try fields.int("from", in: 1...Int64.max)
        to = try fields.int("to", in: 1...Int64.max)
        trace = try fields.bool("trace")
        try fields.refuseUnknown()
        if let from, let to, from > to {
            throw WireError(
                .invalidParameter, path: "from", message: "Parameter 'from' is \(from), and 'to' is only \(to)")
        }
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("from", from)
        query.add("to", to)
        query.add("trace", trace)
        return query.text
    }
}

/// The query of `POST /v1/machines/NAME/replay`.
public struct BacktestParameters: Hashable, Sendable {
    /// The versions of the instances to replay; empty for all.
    public var versions: [Int64]

    /// Creates a value from its parts.
    public init(versions: [Int64] = []) {
        self.versions = versions
    }

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["version"])
        versions = try fields.ints("version", in: 1...Int64.max)
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("version", versions.map { String($0) })
        return query.text
    }
}
