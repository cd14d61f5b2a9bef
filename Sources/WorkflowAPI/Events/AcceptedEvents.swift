/// The events of an instance's machine, and what decides whether it takes any.
public struct AcceptedEvents: Equatable, WireRecord {
    public var items: [EventItem]
    /// The tags of the active states, each once; nil when no state of the machine has any.
    public var tags: [String]?
    /// An instance that does not run takes none.
    public var status: Instance.Status
    /// Why it failed; nil when it has not.
    public var failure: Instance.Failure?

    /// Takes the parts as they are.
    public init(
        items: [EventItem], tags: [String]? = nil, status: Instance.Status = .running,
        failure: Instance.Failure? = nil
    ) {
        self.items = items
        self.tags = tags
        self.status = status
        self.failure = failure
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        tags = try fields.optional("tags", \.tags)
        status = try fields.optional("status") { $0.status } ?? .running
        failure = try fields.optional("failure", \.failure)
    }
}
