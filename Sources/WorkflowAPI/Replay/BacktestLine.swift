public import WorkflowJSON

/// A line of the answer to a replay with another definition: the progress, the outcome for an instance, or at the end
/// the counts.
public enum BacktestLine: Equatable, WireObject {
    /// The progress, counted in instances.
    case progress(WorkProgress)
    /// The outcome for an instance. A replay of many instances reports only those that diverge from their history.
    case outcome(BacktestOutcome)
    /// The counts of all instances, in the last line.
    case counts(BacktestCounts)

    public init(fields: inout WireFields) throws(WireError) {
        let progress: WorkProgress? = try fields.optional("progress")
        let outcome: BacktestOutcome? = try fields.optional("outcome")
        if let progress {
            self = .progress(progress)
        } else if let outcome {
            self = .outcome(outcome)
        } else {
            self = .counts(try fields.required("counts"))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .progress(let progress): writer.field("progress", progress)
            case .outcome(let outcome): writer.field("outcome", outcome)
            case .counts(let counts): writer.field("counts", counts)
            }
        }
    }
}

/// The result of replaying an instance's history with another definition.
public struct BacktestOutcome: Hashable, WireRecord {
    /// The result of the comparison.
    public enum Result: String, WireWord {
        /// Every event leads to the same states as in the history.
        case same
        /// The states differ from `seq` on.
        case differs
        /// The event at `seq` is not accepted.
        case refused
    }

    public var instance: String
    /// The result of the comparison.
    public var result: Result
    /// The seq at which the definitions diverge first; `nil` if they never do.
    public var seq: Int64?
    /// The event of the macrostep `seq`.
    public var event: String?
    /// The paths of the active leaves after the event in the history; only if the replay differs.
    public var was: [String]?
    /// The paths of the active leaves after the event in the replay; only if they differ.
    public var wouldBe: [String]?
    /// The difference, or the reason for the refusal.
    public var detail: String?

    /// Creates a value from its parts.
    public init(
        instance: String, result: Result, seq: Int64? = nil, event: String? = nil, was: [String]? = nil,
        wouldBe: [String]? = nil, detail: String? = nil
    ) {
        self.instance = instance
        self.result = result
        self.seq = seq
        self.event = event
        self.was = was
        self.wouldBe = wouldBe
        self.detail = detail
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        result = try fields.required("result", \.result)
        seq = try fields.optional("seq", \.seq)
        event = try fields.optional("event", \.event)
        was = try fields.optional("was", \.was)
        wouldBe = try fields.optional("wouldBe", \.wouldBe)
        detail = try fields.optional("detail", \.detail)
    }
}

/// The numbers of instances by outcome, for all instances of a machine.
public struct BacktestCounts: Hashable, WireRecord {
    /// The number of instances that diverge at an event.
    public struct Group: Hashable, WireRecord {
        public var event: String
        /// The number of instances whose states differ from this event on.
        public var differs: Int64
        /// The number of instances that do not accept this event.
        public var refused: Int64

        /// Creates a value from its parts.
        public init(event: String, differs: Int64, refused: Int64) {
            self.event = event
            self.differs = differs
            self.refused = refused
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            differs = try fields.required("differs", \.differs)
            refused = try fields.required("refused", \.refused)
        }
    }

    /// The number of instances that stay the same.
    public var same: Int64
    /// The number of instances whose states differ.
    public var differs: Int64
    /// The number of instances with an event that is not accepted.
    public var refused: Int64
    /// The number of replayed journal rows.
    public var events: Int64
    /// The groups by event; the event at which most instances diverge comes first.
    public var groups: [Group]
    /// The seconds that the replay took.
    public var seconds: Double

    /// Creates a value from its parts.
    public init(same: Int64, differs: Int64, refused: Int64, events: Int64, groups: [Group], seconds: Double) {
        self.same = same
        self.differs = differs
        self.refused = refused
        self.events = events
        self.groups = groups
        self.seconds = seconds
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        same = try fields.required("same", \.same)
        differs = try fields.required("differs", \.differs)
        refused = try fields.required("refused", \.refused)
        events = try fields.required("events", \.events)
        groups = try fields.required("groups", \.groups)
        seconds = try fields.required("seconds", \.seconds)
    }
}
