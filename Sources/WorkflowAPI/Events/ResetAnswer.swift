/// The fate of an instance's pending items in a reset.
public struct ResetAnswer: Equatable, WireRecord {
    /// A timer, or a delayed event.
    public struct Timer: Equatable, WireRecord {
        /// The name of the event that will come.
        public var event: String
        /// The time when it is due.
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

    /// An invocation that was live before the reset, or is live afterwards.
    public struct Invocation: Equatable, WireRecord {
        /// The fate of an invocation.
        public enum Fate: String, WireWord {
            /// The invocation was live then, and continues.
            case stays
            /// The invocation was not live then, and is cancelled.
            case cancelled
            /// The invocation begins again, so its service acts twice.
            case again
            /// The invocation gets the result that came before the reset.
            case answered
        }

        /// The id of the invocation.
        public var id: String
        /// The fate of the invocation.
        public var fate: Fate

        /// Creates a value from its parts.
        public init(id: String, fate: Fate) {
            self.id = id
            self.fate = fate
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            id = try fields.required("id", \.id)
            fate = try fields.required("fate", \.fate)
        }
    }

    /// The seq whose state the instance has.
    public var to: Int64
    /// The next timers and delayed events, at most 20.
    public var timers: [Timer]
    /// The number of further timers and delayed events; `nil` if there are none.
    public var otherTimers: Int64?
    /// The invocations that were live before the reset, or are live afterwards.
    public var invocations: [Invocation]
    /// The version before the reset; `nil` if it is the same.
    public var fromVersion: Int64?
    /// The version after the reset; `nil` if it is the same.
    public var toVersion: Int64?

    /// Creates a value from its parts.
    public init(
        to: Int64, timers: [Timer], otherTimers: Int64? = nil, invocations: [Invocation], fromVersion: Int64? = nil,
        toVersion: Int64? = nil
    ) {
        self.to = to
        self.timers = timers
        self.otherTimers = otherTimers
        self.invocations = invocations
        self.fromVersion = fromVersion
        self.toVersion = toVersion
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        to = try fields.required("to", \.to)
        timers = try fields.required("timers", \.timers)
        otherTimers = try fields.optional("otherTimers", \.otherTimers)
        invocations = try fields.required("invocations", \.invocations)
        fromVersion = try fields.optional("fromVersion", \.fromVersion)
        toVersion = try fields.optional("toVersion", \.toVersion)
    }
}
