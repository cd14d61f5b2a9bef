/// The query of `GET /v1/instances`.
public struct InstanceListParameters: Hashable, Sendable {
    /// Empty for all.
    public var machines: [String]
    /// Empty for all.
    public var statuses: [Instance.Status]
    /// Paths of states: instances in one of them or below it; empty for all.
    public var states: [String]
    /// How long an instance is in its configuration at least: a delay as in definitions, such as `2d`.
    public var olderThan: String?
    /// True to list only instances whose last row has a time in the future.
    public var ahead: Bool
    /// Texts of which one is in why it has failed; empty for all.
    public var failures: [String]
    /// Nil for the order in which they are found.
    public var sort: Sort?
    /// Items at most, 1 to 500; nil for 100.
    public var limit: Int?
    public var page: String?

    /// What a list is ordered by.
    public enum Sort: String, WireWord {
        /// Who has been in its configuration for longest comes first.
        case age
        /// Whose last row is the latest comes first.
        case updated
        /// By the bytes of names.
        case name
    }

    /// Takes the parts as they are.
    public init(
        machines: [String] = [], statuses: [Instance.Status] = [], states: [String] = [], olderThan: String? = nil,
        ahead: Bool = false, failures: [String] = [], sort: Sort? = nil, limit: Int? = nil, page: String? = nil
    ) {
        self.machines = machines
        self.statuses = statuses
        self.states = states
        self.olderThan = olderThan
        self.ahead = ahead
        self.failures = failures
        self.sort = sort
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters; unknown ones are refused, and repeated ones that do not add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine", "status", "state", "failure"])
        machines = try fields.strings("machine")
        statuses = try fields.words("status")
        states = try fields.strings("state")
        olderThan = try fields.string("olderThan")
        ahead = try fields.bool("ahead")
        failures = try fields.strings("failure")
        sort = try fields.word("sort")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machines)
        query.add("status", statuses.map(\.rawValue))
        query.add("state", states)
        query.add("olderThan", olderThan)
        query.add("ahead", ahead)
        query.add("failure", failures)
        query.add("sort", sort?.rawValue)
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}
