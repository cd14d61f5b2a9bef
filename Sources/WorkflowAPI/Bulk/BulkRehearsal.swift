/// The expected result of a run, which has changed nothing.
public struct BulkRehearsal: Equatable, WireRecord {
    /// The number of instances that the run would bring to the same place.
    public struct Group: Equatable, WireRecord {
        /// The states before a migration, as paths of the active leaves; `nil` for all other actions.
        public var from: [String]?
        /// The states to which `from` leads in a migration, before other states are entered and left.
        public var targets: [String]?
        /// The paths of the active leaves afterwards; `nil` for the instances in all places without a group.
        public var configuration: [String]?
        /// The number of instances in the group.
        public var count: Int64
        /// The fates of the timers in a migration; `nil` if there are none.
        public var timers: Timers?

        /// Creates a value from its parts.
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

    /// The fates of the timers of a group.
    public struct Timers: Equatable, WireRecord {
        /// The number of timers that continue.
        public var kept: Int64
        /// The number of timers that end.
        public var ended: Int64
        /// The number of timers that are armed, by event.
        public var new: [New]
        /// The number of new timers that are due at once.
        public var due: Int64

        /// Creates the counts.
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

    /// The number of timers that are armed for an event.
    public struct New: Equatable, WireRecord {
        /// The name of the event that will come.
        public var event: String
        /// The number of timers.
        public var count: Int64

        /// Creates a value from its parts.
        public init(event: String, count: Int64) {
            self.event = event
            self.count = count
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            count = try fields.required("count", \.count)
        }
    }

    /// A part of instances that has no place in another version.
    public struct Misfit: Equatable, WireRecord {
        /// The path of a state, `context.` and the path of a value, or the id of an invocation.
        public var place: String
        /// The misfit in plain words, with a remedy.
        public var reason: String
        /// The number of instances that have the misfit.
        public var count: Int64

        /// Creates a value from its parts.
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

    /// The digest of the selected instances and their seqs, for `expect`.
    public var digest: String
    /// The number of selected instances.
    public var selected: Int64
    /// The numbers of instances by expected outcome.
    public var counts: BulkCounts
    /// The groups, the largest first.
    public var groups: [Group]
    /// The misfits of a migration, the most frequent first; `nil` for all other actions.
    public var misfits: [Misfit]?
    /// The first 20 instances of each outcome except `done`.
    public var told: [BulkTold]
    /// The number of invocations and calls that would begin; `nil` if there are none.
    public var begun: Int64?
    /// The number of invocations that a service would carry out again; `nil` if there are none.
    public var again: Int64?
    /// The number of invocations that would be cancelled; `nil` if there are none.
    public var cancelled: Int64?
    /// The instances that the condition of the selection was evaluated on; `nil` without `where`.
    public var search: InstanceSearch?

    /// Creates a value from its parts.
    public init(
        digest: String, selected: Int64, counts: BulkCounts, groups: [Group] = [], misfits: [Misfit]? = nil,
        told: [BulkTold] = [], begun: Int64? = nil, again: Int64? = nil, cancelled: Int64? = nil,
        search: InstanceSearch? = nil
    ) {
        self.search = search
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
        search = try fields.optional("search", \.search)
    }
}
