public import WorkflowJSON

/// The events of an instance's machine, and what decides whether it takes any.
public struct AcceptedEvents: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        items = try fields.required("items")
        tags = try fields.optional("tags")
        status = try fields.optional("status") ?? .running
        failure = try fields.optional("failure")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("items", items)
            writer.field("tags", ifPresent: tags)
            writer.field("status", status.rawValue)
            writer.field("failure", ifPresent: failure)
        }
    }
}
