/// The point where the present store and the generation of a cursor or page token diverge. The problem
/// `generation-changed` has it.
///
/// Both have the same history up to this point. Later rows of the older generation are not in this store.
public struct Parting: Hashable, WireRecord {
    /// The present generation.
    public var generation: Int64
    /// The last common row, as a cursor of the present generation; `nil` if there is none.
    public var cursor: String?
    /// The time of that row.
    public var at: WireTime?
    /// The instance's seq at that point; `nil` if the instance did not exist, or the request did not concern an
    /// instance.
    public var seq: Int64?

    /// Creates a value from its parts.
    public init(generation: Int64, cursor: String? = nil, at: WireTime? = nil, seq: Int64? = nil) {
        self.generation = generation
        self.cursor = cursor
        self.at = at
        self.seq = seq
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        generation = try fields.required("generation", \.generation)
        cursor = try fields.optional("cursor", \.cursor)
        at = try fields.optional("at", \.at)
        seq = try fields.optional("seq", \.seq)
    }
}
