/// The consequences of a migration, apart from the new states.
public struct MigrationItem: Equatable, WireRecord {
    /// A timer and its due time.
    public struct Timer: Hashable, WireRecord {
        public var event: String
        /// The time when the timer is due.
        public var due: WireTime

        /// Creates a value from its parts.
        public init(event: String, due: WireTime) {
            self.event = event
            self.due = due
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            due = try fields.required("due", \.due)
        }
    }

    /// The version before the migration.
    public var from: Int64
    /// The version after the migration.
    public var to: Int64
    /// The timers and delayed events that continue.
    public var kept: [Timer]
    /// The timers that were armed.
    public var new: [Timer]
    /// The events of the timers and delayed events that ended.
    public var ended: [String]
    /// The ids of the invocations that were cancelled.
    public var cancelled: [String]
    /// The paths of the history states that lost their memory.
    public var forgotten: [String]
    /// The keys of the context that the new version does not declare; they stay.
    public var undeclared: [String]

    /// Creates a value from its parts.
    public init(
        from: Int64, to: Int64, kept: [Timer] = [], new: [Timer] = [], ended: [String] = [], cancelled: [String] = [],
        forgotten: [String] = [], undeclared: [String] = []
    ) {
        self.from = from
        self.to = to
        self.kept = kept
        self.new = new
        self.ended = ended
        self.cancelled = cancelled
        self.forgotten = forgotten
        self.undeclared = undeclared
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        kept = try fields.required("kept", \.kept)
        new = try fields.required("new", \.new)
        ended = try fields.required("ended", \.ended)
        cancelled = try fields.required("cancelled", \.cancelled)
        forgotten = try fields.required("forgotten", \.forgotten)
        undeclared = try fields.required("undeclared", \.undeclared)
    }
}
