/// What becomes of what was armed when an instance is reset.
public struct ResetAnswer: Equatable, WireRecord {
    /// Something that comes by itself.
    public struct Timer: Equatable, WireRecord {
        /// The name of the event that it will be.
        public var event: String
        public var due: WireTime

        /// Takes the parts as they are.
        public init(event: String, due: WireTime) {
            self.event = event
            self.due = due
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            due = try fields.required("due", \.due)
        }
    }

    /// An invocation that lived before the reset, or lives after it.
    public struct Invocation: Equatable, WireRecord {
        /// What becomes of it.
        public enum Fate: String, WireWord {
            /// It lived then, and goes on.
            case stays
            /// It did not live then, and is cancelled.
            case cancelled
            /// It begins anew: its service acts twice.
            case again
            /// It has the result again that came.
            case answered
        }

        public var id: String
        public var fate: Fate

        /// Takes the parts as they are.
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
    /// What comes next, at most 20.
    public var timers: [Timer]
    /// How many more come by themselves; nil for none.
    public var otherTimers: Int64?
    public var invocations: [Invocation]
    /// The version of before, where it was another; nil where it was not.
    public var fromVersion: Int64?
    /// The version that the instance has, where it had another; nil where it had not.
    public var toVersion: Int64?

    /// Takes the parts as they are.
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
