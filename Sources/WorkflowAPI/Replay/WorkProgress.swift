/// The progress of a long piece of work.
public struct WorkProgress: Hashable, WireRecord {
    /// The number of processed journal rows.
    public var done: Int64
    /// The approximate number of journal rows to process.
    public var total: Int64

    /// Creates a value from its parts.
    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        done = try fields.required("done", \.done)
        total = try fields.required("total", \.total)
    }
}
