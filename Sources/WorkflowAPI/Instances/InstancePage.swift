/// A page of instances.
public struct InstancePage: Equatable, WireRecord {
    public var items: [Instance]
    /// The opaque token of the next page; `nil` on the last page. A page may be short, even empty, and still have a
    /// next one.
    public var nextPage: String?
    /// The instances that a condition was evaluated on for this page; `nil` without `where`.
    public var search: InstanceSearch?

    /// Creates a value from its parts.
    public init(items: [Instance], nextPage: String? = nil, search: InstanceSearch? = nil) {
        self.items = items
        self.nextPage = nextPage
        self.search = search
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        nextPage = try fields.optional("nextPage", \.nextPage)
        search = try fields.optional("search", \.search)
    }
}

/// The instances that a condition was evaluated on.
public struct InstanceSearch: Equatable, WireRecord {
    /// The number of instances that the other criteria select.
    public var examined: Int64
    /// The number of instances for which the condition has no value, so that they are not selected; `nil` if there are
    /// none.
    public var failed: Int64?
    /// The first of these instances.
    public var first: Failed?

    /// An instance for which a condition has no value.
    public struct Failed: Equatable, WireRecord {
        public var instance: String
        /// The reason.
        public var message: String

        /// Creates a value from its parts.
        public init(instance: String, message: String) {
            self.instance = instance
            self.message = message
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            instance = try fields.required("instance", \.instance)
            message = try fields.required("message", \.message)
        }
    }

    /// Creates a value from its parts.
    public init(examined: Int64 = 0, failed: Int64? = nil, first: Failed? = nil) {
        self.examined = examined
        self.failed = failed
        self.first = first
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        examined = try fields.required("examined", \.examined)
        failed = try fields.optional("failed", \.failed)
        first = try fields.optional("first", \.first)
    }

    /// Adds the work for a later page.
    public mutating func add(_ other: InstanceSearch) {
        examined = examined.addingReportingOverflow(other.examined).partialValue
        let sum = (failed ?? 0).addingReportingOverflow(other.failed ?? 0).partialValue
        failed = sum == 0 ? nil : sum
        first = first ?? other.first
    }
}
