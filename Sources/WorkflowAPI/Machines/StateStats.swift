/// A state and the stays of instances in it.
///
/// A stay begins with the row after which the state is active and before which it is not. It ends the other way round.
public struct StateStats: Equatable, WireRecord {
    /// The path of the state.
    public var state: String
    /// The number of stays that began.
    public var visits: Int64
    /// The number of stays that ended.
    public var stays: Int64
    /// The milliseconds that half of these stays did not exceed, at most 3.2 % off; `nil` if there are none.
    public var p50InMilliseconds: Int64?
    /// The milliseconds that 95 % of these stays did not exceed, at most 3.2 % off; `nil` if there are none.
    public var p95InMilliseconds: Int64?
    /// The instance that is in the state now and entered it first; `nil` if there is none, or it is not known yet.
    public var longest: LongestStayItem?

    /// Creates a value from its parts.
    public init(
        state: String, visits: Int64, stays: Int64, p50InMilliseconds: Int64? = nil, p95InMilliseconds: Int64? = nil,
        longest: LongestStayItem? = nil
    ) {
        self.state = state
        self.visits = visits
        self.stays = stays
        self.p50InMilliseconds = p50InMilliseconds
        self.p95InMilliseconds = p95InMilliseconds
        self.longest = longest
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        state = try fields.required("state", \.state)
        visits = try fields.required("visits", \.visits)
        stays = try fields.required("stays", \.stays)
        p50InMilliseconds = try fields.optional("p50InMilliseconds", \.p50InMilliseconds)
        p95InMilliseconds = try fields.optional("p95InMilliseconds", \.p95InMilliseconds)
        longest = try fields.optional("longest", \.longest)
    }
}

/// The instance that has been in a state for longest.
public struct LongestStayItem: Equatable, WireRecord {
    public var instance: String
    /// The time when the instance entered the state.
    public var since: WireTime
    /// The milliseconds from `since` until now.
    public var sinceInMilliseconds: Int64

    /// Creates a value from its parts.
    public init(instance: String, since: WireTime, sinceInMilliseconds: Int64) {
        self.instance = instance
        self.since = since
        self.sinceInMilliseconds = sinceInMilliseconds
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        since = try fields.required("since", \.since)
        sinceInMilliseconds = try fields.required("sinceInMilliseconds", \.sinceInMilliseconds)
    }
}
