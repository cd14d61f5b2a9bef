/// That an instance is suspended: what comes waits until it is resumed.
public struct InstanceSuspensionItem: Equatable, WireRecord {
    /// The time of the row that suspended it.
    public var at: WireTime
    /// The person who did it; nil where nobody is known.
    public var actor: String?
    /// The reason that was given; nil for none, and when it was erased.
    public var reason: String?

    /// Takes the parts as they are.
    public init(at: WireTime, actor: String? = nil, reason: String? = nil) {
        self.at = at
        self.actor = actor
        self.reason = reason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        at = try fields.required("at", \.at)
        actor = try fields.optional("actor", \.actor)
        reason = try fields.optional("reason", \.reason)
    }
}
