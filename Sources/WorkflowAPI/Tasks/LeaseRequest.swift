/// The body of `POST /v1/tasks/QUEUE/lease`.
public struct LeaseRequest: Equatable, WireRecord {
    /// Tasks at most, 1 to 100; nil for 1.
    public var max: Int?
    /// Seconds to wait for the first task when there is none, up to 60; nil answers at once.
    public var wait: Int?
    /// Seconds that each may take without a sign of life, 5 to 3,600; nil for 30.
    public var lease: Int?
    /// What the worker calls itself; nil for who the system says it is.
    public var worker: String?

    /// Takes the parts as they are.
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
