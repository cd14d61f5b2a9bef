/// The body of `POST /v1/tasks/QUEUE/lease`.
public struct LeaseRequest: Equatable, WireRecord {
    /// The most tasks, 1 to 100; `nil` for 1.
    public var max: Int?
    /// The seconds to wait for the first task if there is none, up to 60; `nil` to answer at once.
    public var wait: Int?
    /// The seconds that each task may take without a heartbeat, 5 to 3,600; `nil` for 30.
    public var lease: Int?
    /// The worker's own name; `nil` for the caller's identity in the system.
    public var worker: String?

    /// Creates a value from its parts.
    public init(max: Int? = nil, wait: Int? = nil, lease: Int? = nil, worker: String? = nil) {
        self.max = max
        self.wait = wait
        self.lease = lease
        self.worker = worker
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        max = try fields.optional("max", \.max, in: APILimits.leasedTasks)
        wait = try fields.optional("wait", \.wait, in: 0...APILimits.longestWaitSeconds)
        lease = try fields.optional("lease", \.lease, in: APILimits.leaseSeconds)
        worker = try fields.optional("worker", \.worker, in: APILimits.workerBytes)
    }
}
