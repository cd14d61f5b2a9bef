/// That a machine is suspended: nothing starts, and its instances take nothing.
public struct MachineSuspensionItem: Equatable, WireRecord {
    public var machine: String
    /// Since when.
    public var at: WireTime
    /// Who has suspended it; nil where nobody is known.
    public var actor: String?
    /// What the person said.
    public var reason: String?

    /// Takes the parts as they are.
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
