/// What a run would do; nothing was changed.
public struct BulkRehearsal: Equatable, WireRecord {
    /// How many of those that would be done stand where afterwards.
    public struct Group: Equatable, WireRecord {
        /// Of a migration: where they stand now. Paths of the active leaves.
        public var from: [String]?
        /// Of a migration: where these states lead, before others are entered and left.
        public var targets: [String]?
        /// Paths of the active leaves afterwards; nil for all other places.
        public var configuration: [String]?
        public var count: Int64
        /// Of a migration, where there are any.
        public var timers: Timers?

        /// Takes the parts as they are.
        public init(
            from: [String]? = nil, targets: [String]? = nil, configuration: [String]?, count: Int64,
            timers: Timers? = nil
        ) {
            self.from = from
            self.targets = targets
            self.configuration = configuration
            self.count = count
            self.timers = timers
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            from = try fields.optional("from", \.from)
            targets = try fields.optional("targets", \.targets)
            configuration = try fields.optional("configuration", \.configuration)
            count = try fields.required("count", \.count)
            timers = try fields.optional("timers", \.timers)
        }
    }

    /// What becomes of the timers of a group.
    public struct Timers: Equatable, WireRecord {
        /// How many go on.
        public var kept: Int64
        /// How many do not come any more.
        public var ended: Int64
        /// Those that are armed, by event.
        public var new: [New]
        /// How many of these are due at once.
        public var due: Int64

        /// Takes the numbers as they are.
        public init(kept: Int64 = 0, ended: Int64 = 0, new: [New] = [], due: Int64 = 0) {
            self.kept = kept
            self.ended = ended
            self.new = new
            self.due = due
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            kept = try fields.required("kept", \.kept)
            ended = try fields.required("ended", \.ended)
            new = try fields.required("new", \.new)
            due = try fields.required("due", \.due)
        }
    }

    /// How many timers are armed for an event.
    public struct New: Equatable, WireRecord {
        public var event: String
        public var count: Int64

        /// Takes the parts as they are.
        public init(event: String, count: Int64) {
            self.event = event
            self.count = count
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            count = try fields.required("count", \.count)
        }
    }

    /// What has no place in another version.
    public struct Misfit: Equatable, WireRecord {
        /// The path of a state, `context.` and the path of a value, or the id of an invocation.
        public var place: String
        public var reason: String
        /// Of how many instances.
        public var count: Int64

        /// Takes the parts as they are.
        public init(place: String, reason: String, count: Int64) {
            self.place = place
            self.reason = reason
            self.count = count
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            place = try fields.required("place", \.place)
            reason = try fields.required("reason", \.reason)
            count = try fields.required("count", \.count)
        }
    }

    /// Of each selected instance and its seq, as `expect` takes it.
    public var digest: String
    public var selected: Int64
    public var counts: BulkCounts
    /// The largest first.
    public var groups: [Group]
    /// Of a migration; the most frequent first.
    public var misfits: [Misfit]?
    /// The first 20 of each outcome but `done`.
    public var told: [BulkTold]
    /// How many invocations and calls would begin; nil for none.
    public var begun: Int64?
    /// How many invocations would begin again, whose services act twice; nil for none.
    public var again: Int64?
    /// How many invocations would be cancelled; nil for none.
    public var cancelled: Int64?

    /// Takes the parts as they are.
    public init(
        digest: String, selected: Int64, counts: BulkCounts, groups: [Group] = [], misfits: [Misfit]? = nil,
        told: [BulkTold] = [], begun: Int64? = nil, again: Int64? = nil, cancelled: Int64? = nil
    ) {
        self.digest = digest
        self.selected = selected
        self.counts = counts
        self.groups = groups
        self.misfits = misfits
        self.told = told
        self.begun = begun
        self.again = again
        self.cancelled = cancelled
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        digest = try fields.required("digest", \.digest)
        selected = try fields.required("selected", \.selected)
        counts = try fields.required("counts", \.counts)
        groups = try fields.required("groups", \.groups)
        misfits = try fields.optional("misfits", \.misfits)
        told = try fields.required("told", \.told)
        begun = try fields.optional("begun", \.begun)
        again = try fields.optional("again", \.again)
        cancelled = try fields.optional("cancelled", \.cancelled)
    }
}
