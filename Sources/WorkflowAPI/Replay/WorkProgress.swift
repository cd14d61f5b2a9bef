/// How far a long piece of work is.
public struct WorkProgress: Hashable, WireRecord {
    /// What is done, in journal rows.
    public var done: Int64
    /// What there is to do, about.
    public var total: Int64

    /// Takes the parts as they are.
    public init(done: Int64, total: Int64) {
        self.done = done
        self.total = total
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        done = try fields.required("done", \.done)
        total = try fields.required("total", \.total)
    }
}
