/// Where the store of today and the generation of a cursor or page token part: what `generation-changed` tells.
///
/// Up to there both have the same history; what came after it in the older generation is not in this one.
public struct Parting: Hashable, WireRecord {
    /// The present generation.
    public var generation: Int64
    /// The last row that both have, as a cursor of the present generation; nil when they have none in common.
    public var cursor: String?
    /// That row's time.
    public var at: WireTime?
    /// What the instance's seq was at that point; nil when it did not exist, or the request was not about one.
    public var seq: Int64?

    /// Takes the parts as they are.
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
