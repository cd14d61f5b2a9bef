/// An attempt at an effect of an instance that failed or came late; the effect may have ended since.
public struct AttemptItem: Equatable, WireRecord {
    /// The id of the invocation; nil where that had ended when a worker told of the attempt.
    public var id: String?
    /// Of the macrostep that began the effect.
    public var seq: Int64
    public var attempt: EffectItem.Attempt

    /// Takes the parts as they are.
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
