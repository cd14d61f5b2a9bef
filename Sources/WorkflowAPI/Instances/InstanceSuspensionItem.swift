/// The suspension of an instance: events wait until somebody resumes it.
public struct InstanceSuspensionItem: Equatable, WireRecord {
    /// The time of the row that suspended it.
    public var at: WireTime
    /// The person who suspended the instance; `nil` if unknown.
    public var actor: String?
    /// The reason; `nil` if none was given, and if it was erased.
    public var reason: String?

    /// Creates a value from its parts.
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
