public import WorkflowJSON

/// A line of the answer to a replay with another definition: how far it is, what became of an instance, or at the end
/// how many there were.
public enum BacktestLine: Equatable, WireObject, WireDescribed {
    case progress(WorkProgress)
    /// Of many instances only those that part from their history are told.
    case outcome(BacktestOutcome)
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

    public static func schema(in book: inout SchemaBook) -> JSONObject {
        book.choice(
            Self.self,
            of: [("progress", WorkProgress.self), ("outcome", BacktestOutcome.self), ("counts", BacktestCounts.self)])
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

/// What another definition makes of an instance's history.
public struct BacktestOutcome: Hashable, WireRecord {
    /// What it comes to.
    public enum Result: String, WireWord {
        /// Every event leads where it led.
        case same
        /// From `seq` on they go different ways.
        case differs
        /// The event at `seq` is not taken.
        case refused
    }

    public var instance: String
    public var result: Result
    /// The first event at which they part; nil when none does.
    public var seq: Int64?
    public var event: String?
    /// The paths of the active leaves after it, as it was and as it would be; only when they differ.
    public var was: [String]?
    public var wouldBe: [String]?
    /// What differs, or why it is refused.
    public var detail: String?

    /// Takes the parts as they are.
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

/// What became of all instances of a machine.
public struct BacktestCounts: Hashable, WireRecord {
    /// How many part at one event.
    public struct Group: Hashable, WireRecord {
        public var event: String
        public var differs: Int64
        public var refused: Int64

        /// Takes the parts as they are.
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

    public var same: Int64
    public var differs: Int64
    public var refused: Int64
    /// Journal rows that were gone through.
    public var events: Int64
    /// By event, those at which most part first.
    public var groups: [Group]
    public var seconds: Double

    /// Takes the parts as they are.
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
