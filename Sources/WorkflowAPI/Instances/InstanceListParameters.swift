/// The query of `GET /v1/instances`.
public struct InstanceListParameters: Hashable, Sendable {
    public var machine: String?
    public var status: Instance.Status?
    /// The path of a state: instances in it or below it.
    public var state: String?
    /// How long an instance is in its configuration at least: a delay as in definitions, such as `2d`.
    public var olderThan: String?
    /// A text in why it has failed.
    public var failure: String?
    /// Nil for the order in which they are found.
    public var sort: Sort?
    /// Items at most, 1 to 500; nil for 100.
    public var limit: Int?
    public var page: String?

    /// What a list is ordered by.
    public enum Sort: String, CaseIterable, Sendable, WireReadable {
        /// Who has been in its configuration for longest comes first.
        case age
        /// Whose last row is the latest comes first.
        case updated
        /// By the bytes of names.
        case name
    }

    /// Takes the parts as they are.
    public init(
        machine: String? = nil, status: Instance.Status? = nil, state: String? = nil, olderThan: String? = nil,
        failure: String? = nil, sort: Sort? = nil, limit: Int? = nil, page: String? = nil
    ) {
        self.machine = machine
        self.status = status
        self.state = state
        self.olderThan = olderThan
        self.failure = failure
        self.sort = sort
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        machine = try fields.string("machine")
        status = try fields.word("status")
        state = try fields.string("state")
        olderThan = try fields.string("olderThan")
        failure = try fields.string("failure")
        sort = try fields.word("sort")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machine)
        query.add("status", status?.rawValue)
        query.add("state", state)
        query.add("olderThan", olderThan)
        query.add("failure", failure)
        query.add("sort", sort?.rawValue)
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}
