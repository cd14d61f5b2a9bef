/// The query of `POST /v1/instances/NAME/events`.
public struct SendParameters: Hashable, Sendable {
    /// True to report the expected result and change nothing.
    public var dryRun: Bool
    /// True to include the exited and entered states.
    public var detail: Bool
    /// True to include the candidate transitions and the values that their guards read; only with `dryRun`.
    public var explain: Bool

    /// Creates a value from its parts.
    public init(dryRun: Bool = false, detail: Bool = false, explain: Bool = false) {
        self.dryRun = dryRun
        self.detail = detail
        self.explain = explain
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        dryRun = try fields.bool("dryRun")
        detail = try fields.bool("detail")
        explain = try fields.bool("explain")
        try fields.refuseUnknown()
        if explain, !dryRun {
            throw WireError(
                .invalidParameter, path: "explain", message: "Parameter 'explain' goes with 'dryRun' only")
        }
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("dryRun", dryRun)
        query.add("detail", detail)
        query.add("explain", explain)
        return query.text
    }
}

/// The query of `GET /v1/instances/NAME/history`.
public struct HistoryParameters: Hashable, Sendable {
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The seq after which the rows begin.
    public var after: Int64?
    /// The cursor of a row, of any instance, after which the rows begin; not with `after`.
    public var cursor: String?
    /// True to list the newest rows first.
    public var reverse: Bool
    /// The token `nextPage` of the previous page.
    public var page: String?
    /// True to include the exited and entered states.
    public var detail: Bool
    /// The seconds to wait for a row if there is none yet, up to 60; `nil` to answer at once.
    public var wait: Int?

    /// Creates a value from its parts.
    public init(
        limit: Int? = nil, after: Int64? = nil, cursor: String? = nil, reverse: Bool = false, page: String? = nil,
        detail: Bool = false, wait: Int? = nil
    ) {
        self.limit = limit
        self.after = after
        self.cursor = cursor
        self.reverse = reverse
        self.page = page
        self.detail = detail
        self.wait = wait
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        limit = try fields.limit()
        after = try fields.int("after", in: 0...Int64.max)
        cursor = try fields.string("cursor")
        reverse = try fields.bool("reverse")
        page = try fields.string("page")
        detail = try fields.bool("detail")
        wait = try fields.int("wait", in: 0...Int64(APILimits.longestWaitSeconds)).map { Int($0) }
        try fields.refuseUnknown()
        if cursor != nil, after != nil {
            throw WireError(
                .invalidParameter, path: "cursor",
                message: "Parameter 'cursor' does not go with 'after': both say where")
        }
        if wait != nil, reverse {
            throw WireError(
                .invalidParameter, path: "wait",
                message: "Parameter 'wait' does not go with 'reverse': new rows come at the end"
            )
        }
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("limit", limit.map { Int64($0) })
        query.add("after", after)
        query.add("cursor", cursor)
        query.add("reverse", reverse)
        query.add("page", page)
        query.add("detail", detail)
        query.add("wait", wait.map { Int64($0) })
        return query.text
    }
}

/// The query of `GET /v1/effects`.
public struct EffectListParameters: Hashable, Sendable {
    /// The instance whose effects are listed, with their failed attempts; `nil` for all instances.
    public var instance: String?
    /// The queues, such as `task:NAME`; a name alone means a queue of tasks. Empty for all.
    public var queues: [String]
    /// The states of the effects; empty for all.
    public var states: [EffectItem.State]
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The token `nextPage` of the previous page.
    public var page: String?

    /// Creates a value from its parts.
    public init(
        instance: String? = nil, queues: [String] = [], states: [EffectItem.State] = [], limit: Int? = nil,
        page: String? = nil
    ) {
        self.instance = instance
        self.queues = queues
        self.states = states
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["queue", "state"])
        instance = try fields.string("instance")
        queues = try fields.strings("queue")
        states = try fields.words("state")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("instance", instance)
        query.add("queue", queues)
        query.add("state", states.map(\.rawValue))
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}

/// The query of lists that have pages and nothing else, such as `GET /v1/machines`.
public struct PageParameters: Hashable, Sendable {
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The token `nextPage` of the previous page.
    public var page: String?

    /// Creates a value from its parts.
    public init(limit: Int? = nil, page: String? = nil) {
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}

/// The query of requests without parameters.
public enum NoParameters {
    /// Refuses every parameter.
    public static func check(query: [(name: String, value: String)]) throws(WireError) {
        try QueryFields(query).refuseUnknown()
    }
}
