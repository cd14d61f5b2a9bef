public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/retry`.
public struct RetryRequest: Equatable, WireObject {
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?

    /// Takes the parts as they are.
    public init(seq: Int64? = nil) {
        self.seq = seq
    }

    public init(fields: inout WireFields) throws(WireError) {
        seq = try fields.optional("seq")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in writer.field("seq", ifPresent: seq) }
    }
}
