/// The answer to `POST /v1/release`.
public struct ReleasedEffects: Equatable, WireRecord {
    /// Whether effects were held until then.
    public var wasHeld: Bool

    /// Takes the parts as they are.
    public init(wasHeld: Bool) { self.wasHeld = wasHeld }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        wasHeld = try fields.required("wasHeld", \.wasHeld)
    }
}
