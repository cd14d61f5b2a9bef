public import WorkflowJSON

/// What became of an instance that went over to another version, beside its states.
public struct MigrationItem: Equatable, WireObject {
    /// A timer, and when it is due.
    public struct Timer: Hashable, WireObject {
        public var event: String
        public var due: WireTime

        /// Takes the parts as they are.
        public init(event: String, due: WireTime) {
            self.event = event
            self.due = due
        }

        public init(fields: inout WireFields) throws(WireError) {
            event = try fields.required("event")
            due = try fields.required("due")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("event", event)
                writer.field("due", due)
            }
        }
    }

    public var from: Int64
    public var to: Int64
    /// Timers and delayed events that go on.
    public var kept: [Timer]
    /// Timers that were armed.
    public var new: [Timer]
    /// The events of those that do not come any more.
    public var ended: [String]
    /// The ids of invocations that were cancelled.
    public var cancelled: [String]
    /// The paths of history states that have forgotten what they remembered.
    public var forgotten: [String]
    /// Keys of the context that the new version does not declare; they stay.
    public var undeclared: [String]

    /// Takes the parts as they are.
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

    public init(fields: inout WireFields) throws(WireError) {
        from = try fields.required("from")
        to = try fields.required("to")
        kept = try fields.required("kept")
        new = try fields.required("new")
        ended = try fields.required("ended")
        cancelled = try fields.required("cancelled")
        forgotten = try fields.required("forgotten")
        undeclared = try fields.required("undeclared")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("from", from)
            writer.field("to", to)
            writer.field("kept", kept)
            writer.field("new", new)
            writer.field("ended", ended)
            writer.field("cancelled", cancelled)
            writer.field("forgotten", forgotten)
            writer.field("undeclared", undeclared)
        }
    }
}
