/// The answer to `POST /v1/release`.
public struct ReleasedEffects: Equatable, WireRecord {
    /// True if effects were held until then.
    public var wasHeld: Bool

    /// Creates a value from its parts.
    public init(wasHeld: Bool) { self.wasHeld = wasHeld }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        wasHeld = try fields.required("wasHeld", \.wasHeld)
    }
}
