public import WorkflowJSON

/// A line of the answer to a verification: the progress, a finding, a gap, or at the end the counts.
public enum VerificationLine: Equatable, WireObject {
    /// The progress.
    case progress(WorkProgress)
    case finding(VerificationFinding)
    case gap(VerificationGap)
    case counts(VerificationCounts)

    public init(fields: inout WireFields) throws(WireError) {
        let progress: WorkProgress? = try fields.optional("progress")
        let finding: VerificationFinding? = try fields.optional("finding")
        let gap: VerificationGap? = try fields.optional("gap")
        if let progress {
            self = .progress(progress)
        } else if let finding {
            self = .finding(finding)
        } else if let gap {
            self = .gap(gap)
        } else {
            self = .counts(try fields.required("counts"))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .progress(let progress): writer.field("progress", progress)
            case .finding(let finding): writer.field("finding", finding)
            case .gap(let gap): writer.field("gap", gap)
            case .counts(let counts): writer.field("counts", counts)
            }
        }
    }
}

/// A part of the store that differs from the result of its history. Only the first one of each instance is reported.
public struct VerificationFinding: Hashable, WireRecord {
    /// The instance's name; `nil` if no instance is concerned, or the instance is missing.
    public var instance: String?
    /// The seq of the row.
    public var seq: Int64?
    /// The difference in plain words: `the digest does not fit what the row says`.
    public var detail: String

    /// Creates a value from its parts.
    public init(instance: String? = nil, seq: Int64? = nil, detail: String) {
        self.instance = instance
        self.seq = seq
        self.detail = detail
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.optional("instance", \.instance)
        seq = try fields.optional("seq", \.seq)
        detail = try fields.required("detail", \.detail)
    }
}

/// The rows of an instance of which only the chain was checked, because of a redaction.
public struct VerificationGap: Hashable, WireRecord {
    /// The instance's name.
    public var instance: String
    /// The seqs of the rows, such as `3-9,12`.
    public var seqs: String

    /// Creates a value from its parts.
    public init(instance: String, seqs: String) {
        self.instance = instance
        self.seqs = seqs
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        seqs = try fields.required("seqs", \.seqs)
    }
}

/// The numbers of the compared things.
public struct VerificationCounts: Hashable, WireRecord {
    public var instances: Int64
    /// The number of journal rows.
    public var events: Int64
    /// The number of snapshots.
    public var snapshots: Int64
    public var timers: Int64
    /// The number of idempotency keys.
    public var keys: Int64
    public var machines: Int64
    /// The number of instances whose digests were checked, but not all steps: because of a redaction, or because they
    /// run under rules of another release.
    public var chainOnly: Int64
    /// The number of differences; more than the lines if there were very many.
    public var differences: Int64
    /// The seconds that the verification took.
    public var seconds: Double

    /// Creates a value from its parts.
    public init(
        instances: Int64, events: Int64, snapshots: Int64, timers: Int64, keys: Int64, machines: Int64,
        chainOnly: Int64, differences: Int64, seconds: Double
    ) {
        self.instances = instances
        self.events = events
        self.snapshots = snapshots
        self.timers = timers
        self.keys = keys
        self.machines = machines
        self.chainOnly = chainOnly
        self.differences = differences
        self.seconds = seconds
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instances = try fields.required("instances", \.instances)
        events = try fields.required("events", \.events)
        snapshots = try fields.required("snapshots", \.snapshots)
        timers = try fields.required("timers", \.timers)
        keys = try fields.required("keys", \.keys)
        machines = try fields.required("machines", \.machines)
        chainOnly = try fields.required("chainOnly", \.chainOnly)
        differences = try fields.required("differences", \.differences)
        seconds = try fields.required("seconds", \.seconds)
    }
}
