/// The number of instances of a machine version in one status and configuration.
public struct TallyItem: Equatable, WireRecord {
    public var machine: String
    public var version: Int64
    /// The number of the version's semantics; 1 if a daemon of 0.1 omits it.
    public var semantics: Int64
    public var status: Instance.Status
    /// The paths of the active leaves, in document order.
    public var configuration: [String]
    /// The number of instances.
    public var count: Int64

    /// Creates a value from its parts.
    public init(
        machine: String, version: Int64, semantics: Int64, status: Instance.Status, configuration: [String],
        count: Int64
    ) {
        self.semantics = semantics
        self.machine = machine
        self.version = version
        self.status = status
        self.configuration = configuration
        self.count = count
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        version = try fields.required("version", \.version)
        semantics = try fields.optional("semantics") { $0.semantics } ?? 1
        status = try fields.required("status", \.status)
        configuration = try fields.required("configuration", \.configuration)
        count = try fields.required("count", \.count)
    }
}

/// The query of `GET /v1/tally`.
public struct TallyParameters: Hashable, Sendable {
    /// The names of the machines; empty for all.
    public var machines: [String]
    /// True to count only versions whose semantics are older than those of a definition that is applied now.
    public var outdated: Bool
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The token `nextPage` of the previous page.
    public var page: String?

    /// Creates a value from its parts.
    public init(machines: [String] = [], outdated: Bool = false, limit: Int? = nil, page: String? = nil) {
        self.outdated = outdated
        self.machines = machines
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters. Refuses unknown ones, and repeated ones unless their values add up.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query, addingUp: ["machine"])
        machines = try fields.strings("machine")
        outdated = try fields.bool("outdated", absent: false)
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("machine", machines)
        query.add("outdated", outdated ? "true" : nil)
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}
