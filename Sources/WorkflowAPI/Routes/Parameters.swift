/// The query of `POST /v1/instances/NAME/events`.
public struct SendParameters: Hashable, Sendable {
    /// Say what would happen and change nothing.
    public var dryRun: Bool
    /// Tell what was exited and entered.
    public var detail: Bool
    /// Tell which transitions were tried, and what their guards read; with `dryRun` only.
    public var explain: Bool

    /// Takes the parts as they are.
    public init(dryRun: Bool = false, detail: Bool = false, explain: Bool = false) {
        self.dryRun = dryRun
        self.detail = detail
        self.explain = explain
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
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

    /// The encoded query with its question mark; empty when everything is as by default.
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
    /// Items at most, 1 to 500; nil for 100.
    public var limit: Int?
    /// Only rows with a higher seq.
    public var after: Int64?
    /// Only rows after the one that has this cursor, whichever instance's it is; not with `after`.
    public var cursor: String?
    /// Newest first.
    public var reverse: Bool
    public var page: String?
    /// Tell what was exited and entered.
    public var detail: Bool
    /// Seconds to wait for a row when there is none yet, up to 60; nil answers at once.
    public var wait: Int?

    /// Takes the parts as they are.
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

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
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

    /// The encoded query with its question mark; empty when everything is as by default.
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
    /// Only those of this instance, with the attempts that failed.
    public var instance: String?
    /// As `task:NAME`; a name alone is that of a queue of tasks. Empty for all.
    public var queues: [String]
    /// Empty for all.
    public var states: [EffectItem.State]
    /// Items at most, 1 to 500; nil for 100.
    public var limit: Int?
    public var page: String?

    /// Takes the parts as they are.
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

    /// Reads percent-decoded parameters; unknown ones are refused, and repeated ones that do not add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["queue", "state"])
        instance = try fields.string("instance")
        queues = try fields.strings("queue")
        states = try fields.words("state")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
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

/// The query of lists that only page: `GET /v1/machines`.
public struct PageParameters: Hashable, Sendable {
    /// Items at most, 1 to 500; nil for 100.
    public var limit: Int?
    public var page: String?

    /// Takes the parts as they are.
    public init(limit: Int? = nil, page: String? = nil) {
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}

/// The query of requests that have none.
public enum NoParameters {
    /// Refuses whatever stands there.
    public static func check(query: [(name: String, value: String)]) throws(WireError) {
        try QueryFields(query).refuseUnknown()
    }
}
