/// The query of `GET /v1/instances`.
public struct InstanceListParameters: Hashable, Sendable {
    /// The text with which the names begin; `nil` for all. The list is then in the order of names by default.
    public var prefix: String?
    /// The names of the machines; empty for all.
    public var machines: [String]
    /// The versions of the only machine in `machines`; empty for all.
    public var versions: [Int64]
    /// The statuses of the instances; empty for all.
    public var statuses: [Instance.Status]
    /// The paths of states: an instance must be in one of them or below it. Empty for all.
    public var states: [String]
    /// The shortest time for which an instance has been in its configuration: a delay as in definitions, such as `2d`.
    public var olderThan: String?
    /// True to list only instances whose last row has a time in the future.
    public var ahead: Bool
    /// Texts of which the instance's failure must contain one; empty for all.
    public var failures: [String]
    /// The condition, as the parameter `where`: an expression over `context`, `name`, `machine`, `version`, `status`,
    /// `state`, `createdAt`, `updatedAt`, `inState` and `failure`. `nil` for none. Excludes orders other than `name`.
    public var condition: String?
    /// The order; `nil` for the order of the search.
    public var sort: Sort?
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The token `nextPage` of the previous page.
    public var page: String?

    /// The order of a list.
    public enum Sort: String, WireWord {
        /// The instance that has been in its configuration for the longest time comes first.
        case age
        /// The instance with the latest row comes first.
        case updated
        /// The names are ordered by their bytes.
        case name
    }

    /// Creates a value from its parts.
    public init(
        prefix: String? = nil, machines: [String] = [], versions: [Int64] = [], statuses: [Instance.Status] = [],
        states: [String] = [], olderThan: String? = nil, ahead: Bool = false, failures: [String] = [],
        condition: String? = nil, sort: Sort? = nil, limit: Int? = nil, page: String? = nil
    ) {
        self.versions = versions
        self.condition = condition
        self.prefix = prefix
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

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine", "version", "status", "state", "failure"])
        prefix = try fields.string("prefix")
        machines = try fields.strings("machine")
        versions = try fields.ints("version", in: 1...Int64.max)
        statuses = try fields.words("status")
        states = try fields.strings("state")
        olderThan = try fields.string("olderThan")
        ahead = try fields.bool("ahead")
        failures = try fields.strings("failure")
        condition = try fields.string("where")
        sort = try fields.word("sort")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
        if !versions.isEmpty, machines.count != 1 {
            throw WireError(
                .invalidParameter, path: "version",
                message: "Parameter 'version' needs one 'machine': each machine numbers its own versions")
        }
        if condition != nil, let sort, sort != .name {
            throw WireError(
                .invalidParameter, path: "sort",
                message: "Parameter 'sort' must be 'name' with 'where', which goes through the instances in parts")
        }
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("prefix", prefix)
        query.add("machine", machines)
        query.add("version", versions.map { String($0) })
        query.add("status", statuses.map(\.rawValue))
        query.add("state", states)
        query.add("olderThan", olderThan)
        query.add("ahead", ahead)
        query.add("failure", failures)
        query.add("where", condition)
        query.add("sort", sort?.rawValue)
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}
