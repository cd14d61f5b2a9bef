/// The suspension of a machine: no instance starts, and its instances accept nothing.
public struct MachineSuspensionItem: Equatable, WireRecord {
    public var machine: String
    /// The time when the machine was suspended.
    public var at: WireTime
    /// The person who suspended the machine; `nil` if unknown.
    public var actor: String?
    /// The person's reason.
    public var reason: String?

    /// Creates a value from its parts.
    public init(machine: String, at: WireTime, actor: String? = nil, reason: String? = nil) {
        self.machine = machine
        self.at = at
        self.actor = actor
        self.reason = reason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        at = try fields.required("at", \.at)
        actor = try fields.optional("actor", \.actor)
        reason = try fields.optional("reason", \.reason)
    }
}
