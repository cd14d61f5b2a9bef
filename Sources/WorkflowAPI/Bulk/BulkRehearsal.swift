public import WorkflowJSON

/// What a run would do; nothing was changed.
public struct BulkRehearsal: Equatable, WireObject {
    /// How many of those that would be done stand where afterwards.
    public struct Group: Equatable, WireObject {
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

        public init(fields: inout WireFields) throws(WireError) {
            from = try fields.optional("from")
            targets = try fields.optional("targets")
            configuration = try fields.optional("configuration")
            count = try fields.required("count")
            timers = try fields.optional("timers")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("from", ifPresent: from)
                writer.field("targets", ifPresent: targets)
                writer.field("configuration", ifPresent: configuration)
                writer.field("count", count)
                writer.field("timers", ifPresent: timers)
            }
        }
    }

    /// What becomes of the timers of a group.
    public struct Timers: Equatable, WireObject {
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

        public init(fields: inout WireFields) throws(WireError) {
            kept = try fields.required("kept")
            ended = try fields.required("ended")
            new = try fields.required("new")
            due = try fields.required("due")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("kept", kept)
                writer.field("ended", ended)
                writer.field("new", new)
                writer.field("due", due)
            }
        }
    }

    /// How many timers are armed for an event.
    public struct New: Equatable, WireObject {
        public var event: String
        public var count: Int64

        /// Takes the parts as they are.
        public init(event: String, count: Int64) {
            self.event = event
            self.count = count
        }

        public init(fields: inout WireFields) throws(WireError) {
            event = try fields.required("event")
            count = try fields.required("count")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("event", event)
                writer.field("count", count)
            }
        }
    }

    /// What has no place in another version.
    public struct Misfit: Equatable, WireObject {
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

        public init(fields: inout WireFields) throws(WireError) {
            place = try fields.required("place")
            reason = try fields.required("reason")
            count = try fields.required("count")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("place", place)
                writer.field("reason", reason)
                writer.field("count", count)
            }
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

    public init(fields: inout WireFields) throws(WireError) {
        digest = try fields.required("digest")
        selected = try fields.required("selected")
        counts = try fields.required("counts")
        groups = try fields.required("groups")
        misfits = try fields.optional("misfits")
        told = try fields.required("told")
        begun = try fields.optional("begun")
        again = try fields.optional("again")
        cancelled = try fields.optional("cancelled")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("digest", digest)
            writer.field("selected", selected)
            writer.field("counts", counts)
            writer.field("groups", groups)
            writer.field("misfits", ifPresent: misfits)
            writer.field("told", told)
            writer.field("begun", ifPresent: begun)
            writer.field("again", ifPresent: again)
            writer.field("cancelled", ifPresent: cancelled)
        }
    }
}
