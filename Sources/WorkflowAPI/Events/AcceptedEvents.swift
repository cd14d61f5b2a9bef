/// The events of an instance's machine, and the facts that decide whether the instance accepts any.
public struct AcceptedEvents: Equatable, WireRecord {
    public var items: [EventItem]
    /// The tags of the active states, each once; `nil` if no state of the machine has tags.
    public var tags: [String]?
    /// The instance's status. An instance that is not running accepts no events.
    public var status: Instance.Status
    /// The instance's failure; `nil` if it has not failed.
    public var failure: Instance.Failure?
    /// The suspension of the machine; `nil` if there is none. Until it ends, the instance accepts none of the events,
    /// whatever `items` says.
    public var machineSuspended: MachineSuspensionItem?

    /// Creates a value from its parts.
    public init(
        items: [EventItem], tags: [String]? = nil, status: Instance.Status = .running,
        failure: Instance.Failure? = nil, machineSuspended: MachineSuspensionItem? = nil
    ) {
        self.items = items
        self.tags = tags
        self.status = status
        self.failure = failure
        self.machineSuspended = machineSuspended
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        items = try fields.required("items", \.items)
        tags = try fields.optional("tags", \.tags)
        status = try fields.optional("status") { $0.status } ?? .running
        failure = try fields.optional("failure", \.failure)
        machineSuspended = try fields.optional("machineSuspended", \.machineSuspended)
    }
}
