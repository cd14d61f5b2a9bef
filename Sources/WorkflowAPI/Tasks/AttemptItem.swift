/// A failed or late attempt at an effect of an instance; the effect may have ended since.
public struct AttemptItem: Equatable, WireRecord {
    /// The id of the invocation; `nil` if the invocation had ended before a worker reported the attempt.
    public var id: String?
    /// The seq of the macrostep that began the effect.
    public var seq: Int64
    public var attempt: EffectItem.Attempt

    /// Creates a value from its parts.
    public init(id: String?, seq: Int64, attempt: EffectItem.Attempt) {
        self.id = id
        self.seq = seq
        self.attempt = attempt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        id = try fields.optional("id", \.id)
        seq = try fields.required("seq", \.seq)
        attempt = try fields.inlined(\.attempt)
    }
}
