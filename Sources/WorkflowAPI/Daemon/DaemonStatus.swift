/// The answer of `GET /v1/status`: what an operator looks at first.
public struct DaemonStatus: Equatable, WireRecord {
    /// What the daemon can do.
    public enum State: String, WireWord {
        case starting, ready, draining
        /// It only reads: nothing can be written now, or until somebody does something.
        case storageUnavailable = "storage-unavailable"
        case readOnly = "read-only"
        case damaged
    }

    /// How many instances have a status.
    public struct Count: Equatable, WireRecord {
        public var status: Instance.Status
        public var count: Int64

        /// Takes the parts as they are.
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
    /// Why it is not ready.
    public var reason: String?
    /// The daemon's version.
    public var version: String
    /// True when no effect starts until somebody releases them.
    public var held: Bool?
    /// The reason why they are held, and since when, in words; nil for a hold that began after the daemon's start.
    public var holdReason: String?
    /// Machines that are suspended, by name; nil for none.
    public var suspendedMachines: [MachineSuspensionItem]?
    /// By how many milliseconds the timer that should have fired first is late; nil when none is.
    public var behind: Int64?
    /// How many timers should have fired already; 1000 stands for that many or more. Nil for none.
    public var lateTimers: Int64?
    /// Commands that wait for the writer.
    public var waiting: Int64
    /// Of the statuses that instances have, in the order of their names.
    public var instances: [Count]
    /// Why most of the failed ones have failed, the largest groups first; at most so many as a person reads.
    public var failures: [FailureItem]
    /// How many groups there are beside; nil for none.
    public var otherFailures: Int64?
    /// Queues that stand: something is due for more than a minute and has not begun, is held, or has failed. At most so
    /// many as a person reads; nil for none.
    public var queues: [QueueItem]?
    /// How many stand beside; nil for none.
    public var otherQueues: Int64?
    /// Rows of deleted instances that are left; nil for none.
    public var deleting: Int64?
    /// Nil where the store is no file.
    public var disk: Disk?
    /// Runs over many instances that are not done, the last begun first, at most so many as a person reads; nil for
    /// none.
    public var runs: [BulkRun]?
    /// How many there are beside; nil for none.
    public var otherRuns: Int64?
    /// When a backup was fetched last, and when a verification of everything has found nothing, also before the daemon
    /// began; nil where neither is known.
    public var lastBackupAt: WireTime?
    public var lastVerificationAt: WireTime?

    /// Takes the parts as they are.
    public init(
        status: State, reason: String? = nil, version: String, held: Bool? = nil, holdReason: String? = nil,
        suspendedMachines: [MachineSuspensionItem]? = nil, behind: Int64? = nil,
        lateTimers: Int64? = nil, waiting: Int64 = 0, instances: [Count] = [], failures: [FailureItem] = [],
        otherFailures: Int64? = nil, queues: [QueueItem]? = nil, otherQueues: Int64? = nil, deleting: Int64? = nil,
        disk: Disk? = nil, runs: [BulkRun]? = nil, otherRuns: Int64? = nil,
        lastBackupAt: WireTime? = nil, lastVerificationAt: WireTime? = nil
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
        self.queues = queues
        self.otherQueues = otherQueues
        self.deleting = deleting
        self.disk = disk
        self.runs = runs
        self.otherRuns = otherRuns
        self.lastBackupAt = lastBackupAt
        self.lastVerificationAt = lastVerificationAt
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
        queues = try fields.optional("queues", \.queues)
        otherQueues = try fields.optional("otherQueues", \.otherQueues)
        deleting = try fields.optional("deleting", \.deleting)
        disk = try fields.optional("disk", \.disk)
        runs = try fields.optional("runs", \.runs)
        otherRuns = try fields.optional("otherRuns", \.otherRuns)
        lastBackupAt = try fields.optional("lastBackupAt", \.lastBackupAt)
        lastVerificationAt = try fields.optional("lastVerificationAt", \.lastVerificationAt)
    }
}
