/// The answer of `GET /v1/status`: an overview for the operator.
public struct DaemonStatus: Equatable, WireRecord {
    /// The daemon's readiness.
    public enum State: String, WireWord {
        case starting, standby, ready, draining
        /// The daemon only reads: it cannot write now, or not until somebody acts.
        case storageUnavailable = "storage-unavailable"
        case readOnly = "read-only"
        case damaged
    }

    /// The number of instances in a status.
    public struct Count: Equatable, WireRecord {
        public var status: Instance.Status
        /// The number of instances with the status.
        public var count: Int64

        /// Creates a value from its parts.
        public init(status: Instance.Status, count: Int64) {
            self.status = status
            self.count = count
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            status = try fields.required("status", \.status)
            count = try fields.required("count", \.count)
        }
    }

    public var status: State
    /// The reason why the daemon is not ready.
    public var reason: String?
    /// The daemon's version.
    public var version: String
    /// True if no effect starts until somebody releases effects; otherwise `nil`.
    public var held: Bool?
    /// The reason and the start of the hold, in words; `nil` for a hold that began after the daemon's start.
    public var holdReason: String?
    /// The suspended machines by name; `nil` if there are none.
    public var suspendedMachines: [MachineSuspensionItem]?
    /// The milliseconds by which the earliest due timer is late; `nil` if no timer is late.
    public var behind: Int64?
    /// The number of late timers, where 1000 means that many or more; `nil` if no timer is late.
    public var lateTimers: Int64?
    /// The number of commands that wait for the writer.
    public var waiting: Int64
    /// The counts of the statuses that instances have, in the order of their names.
    public var instances: [Count]
    /// The most common failures, the largest groups first; as many as a person reads.
    public var failures: [FailureItem]
    /// The number of groups that are not in `failures`; `nil` if there are none.
    public var otherFailures: Int64?
    /// The number of failed instances whose reason was redacted; `nil` if there are none.
    public var redactedFailures: Int64?
    /// The stalled queues: an effect is due for over a minute and has not begun, is held, or has failed. As many as
    /// a person reads; `nil` if there are none.
    public var queues: [QueueItem]?
    /// The number of stalled queues that are not in `queues`; `nil` if there are none.
    public var otherQueues: Int64?
    /// The number of remaining rows of deleted instances; `nil` if there are none.
    public var deleting: Int64?
    /// The space on the disk; `nil` if the store is not a file.
    public var disk: Disk?
    /// The unfinished runs over many instances, the last begun first; as many as a person reads. `nil` if there are
    /// none.
    public var runs: [BulkRun]?
    /// The number of unfinished runs that are not in `runs`; `nil` if there are none.
    public var otherRuns: Int64?
    /// The time of the last fetched backup, also before the daemon's start; `nil` if unknown.
    public var lastBackupAt: WireTime?
    /// The time of the last full verification without findings, also before the daemon's start; `nil` if unknown.
    public var lastVerificationAt: WireTime?
    /// The time when the certificate of TLS expires, from 14 days before; otherwise `nil`.
    public var certificateEndsAt: WireTime?
    /// The tokens in the last tenth of their life that expire within 14 days, the next first. `nil` if there are none,
    /// and for callers who may not list tokens.
    public var tokensEnding: [TokenEnd]?

    /// A token that expires soon.
    public struct TokenEnd: Equatable, WireRecord {
        /// The token's name.
        public var name: String
        /// The end of the token.
        public var expiresAt: WireTime

        /// Creates a value from its parts.
        public init(name: String, expiresAt: WireTime) {
            self.name = name
            self.expiresAt = expiresAt
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            name = try fields.required("name", \.name)
            expiresAt = try fields.required("expiresAt", \.expiresAt)
        }
    }

    /// Creates a value from its parts.
    public init(
        status: State, reason: String? = nil, version: String, held: Bool? = nil, holdReason: String? = nil,
        suspendedMachines: [MachineSuspensionItem]? = nil, behind: Int64? = nil,
        lateTimers: Int64? = nil, waiting: Int64 = 0, instances: [Count] = [], failures: [FailureItem] = [],
        otherFailures: Int64? = nil, redactedFailures: Int64? = nil, queues: [QueueItem]? = nil,
        otherQueues: Int64? = nil, deleting: Int64? = nil, disk: Disk? = nil, runs: [BulkRun]? = nil,
        otherRuns: Int64? = nil, lastBackupAt: WireTime? = nil, lastVerificationAt: WireTime? = nil,
        certificateEndsAt: WireTime? = nil, tokensEnding: [TokenEnd]? = nil
    ) {
        self.status = status
        self.reason = reason
        self.version = version
        self.held = held
        self.holdReason = holdReason
        self.suspendedMachines = suspendedMachines
        self.behind = behind
        self.lateTimers = lateTimers
        self.waiting = waiting
        self.instances = instances
        self.failures = failures
        self.otherFailures = otherFailures
        self.redactedFailures = redactedFailures
        self.queues = queues
        self.otherQueues = otherQueues
        self.deleting = deleting
        self.disk = disk
        self.runs = runs
        self.otherRuns = otherRuns
        self.lastBackupAt = lastBackupAt
        self.lastVerificationAt = lastVerificationAt
        self.certificateEndsAt = certificateEndsAt
        self.tokensEnding = tokensEnding
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        status = try fields.required("status", \.status)
        reason = try fields.optional("reason", \.reason)
        version = try fields.required("version", \.version)
        held = try fields.optional("held", \.held)
        holdReason = try fields.optional("holdReason", \.holdReason)
        suspendedMachines = try fields.optional("suspendedMachines", \.suspendedMachines)
        behind = try fields.optional("behind", \.behind)
        lateTimers = try fields.optional("lateTimers", \.lateTimers)
        waiting = try fields.required("waiting", \.waiting)
        instances = try fields.required("instances", \.instances)
        failures = try fields.required("failures", \.failures)
        otherFailures = try fields.optional("otherFailures", \.otherFailures)
        redactedFailures = try fields.optional("redactedFailures", \.redactedFailures)
        queues = try fields.optional("queues", \.queues)
        otherQueues = try fields.optional("otherQueues", \.otherQueues)
        deleting = try fields.optional("deleting", \.deleting)
        disk = try fields.optional("disk", \.disk)
        runs = try fields.optional("runs", \.runs)
        otherRuns = try fields.optional("otherRuns", \.otherRuns)
        lastBackupAt = try fields.optional("lastBackupAt", \.lastBackupAt)
        lastVerificationAt = try fields.optional("lastVerificationAt", \.lastVerificationAt)
        certificateEndsAt = try fields.optional("certificateEndsAt", \.certificateEndsAt)
        tokensEnding = try fields.optional("tokensEnding", \.tokensEnding)
    }
}
