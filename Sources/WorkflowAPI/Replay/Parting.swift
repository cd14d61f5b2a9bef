public import WorkflowJSON

/// Where the store of today and the generation of a cursor or page token part: what `generation-changed` tells.
///
/// Up to there both have the same history; what came after it in the older generation is not in this one.
public struct Parting: Hashable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        generation = try fields.required("generation")
        cursor = try fields.optional("cursor")
        at = try fields.optional("at")
        seq = try fields.optional("seq")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("generation", generation)
            writer.field("cursor", ifPresent: cursor)
            writer.field("at", ifPresent: at)
            writer.field("seq", ifPresent: seq)
        }
    }
}
