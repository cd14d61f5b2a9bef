public import WorkflowJSON

/// The answer to `POST /v1/release`.
public struct ReleasedEffects: Equatable, WireObject {
    /// Whether effects were held until then.
    public var wasHeld: Bool

    /// Takes the parts as they are.
    public init(wasHeld: Bool) { self.wasHeld = wasHeld }

    public init(fields: inout WireFields) throws(WireError) { wasHeld = try fields.required("wasHeld") }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in writer.field("wasHeld", wasHeld) }
    }
}
