public import WorkflowJSON

/// How far a long piece of work is.
public struct WorkProgress: Hashable, WireObject {
    /// What is done, in journal rows.
    public var done: Int64
    /// What there is to do, about.
    public var total: Int64

    /// Takes the parts as they are.
    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }

    public init(fields: inout WireFields) throws(WireError) {
        done = try fields.required("done")
        total = try fields.required("total")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("done", done)
            writer.field("total", total)
        }
    }
}
