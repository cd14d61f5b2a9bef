public import WorkflowJSON

/// A task as its worker gets it.
public struct TaskItem: Equatable, WireRecord {
    /// What names the task, opaque; of no use once the lease is lost.
    public var task: String
    public var instance: String
    /// The id of the invocation.
    public var id: String
    /// 1 for the first.
    public var attempt: Int64
    /// The same for all attempts, and of no other task: what keeps others from doing the same twice.
    public var key: String
    public var input: JSONValue
    /// What an earlier attempt has told with its signs of life.
    public var progress: JSONValue?
    /// Without a sign of life others get the task then.
    public var leasedUntil: WireTime
    /// When the invocation times out.
    public var deadline: WireTime?
    /// For requests that belong to the task (W3C Trace Context); nil of an older daemon.
    public var traceparent: String?

    /// Takes the parts as they are.
    public init(
        task: String, instance: String, id: String, attempt: Int64, key: String, input: JSONValue = .null,
        progress: JSONValue? = nil, leasedUntil: WireTime, deadline: WireTime? = nil,
        traceparent: String? = nil
    ) {
        self.task = task
        self.instance = instance
        self.id = id
        self.attempt = attempt
        self.key = key
        self.input = input
        self.progress = progress
        self.leasedUntil = leasedUntil
        self.deadline = deadline
        self.traceparent = traceparent
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        task = try fields.required("task", \.task)
        instance = try fields.required("instance", \.instance)
        id = try fields.required("id", \.id)
        attempt = try fields.required("attempt", \.attempt)
        key = try fields.required("key", \.key)
        input = try fields.optional("input") { $0.input } ?? .null
        progress = try fields.optional("progress", \.progress)
        leasedUntil = try fields.required("leasedUntil", \.leasedUntil)
        deadline = try fields.optional("deadline", \.deadline)
        traceparent = try fields.optional("traceparent", \.traceparent)
    }

    /// Written by hand, because its copy would cost a fifth of the writing, and many are written.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("task", task)
            writer.field("instance", instance)
            writer.field("id", id)
            writer.field("attempt", attempt)
            writer.field("key", key)
            writer.field("input", input)
            writer.field("progress", ifPresent: progress)
            writer.field("leasedUntil", leasedUntil)
            writer.field("deadline", ifPresent: deadline)
            writer.field("traceparent", ifPresent: traceparent)
        }
    }
}

/// The answer to `POST /v1/tasks/QUEUE/lease`.
public struct LeasedTasks: Equatable, WireRecord {
    /// By priority, then by when they are due, then by age; empty when there are none.
    public var tasks: [TaskItem]

    /// Takes the parts as they are.
    public init(tasks: [TaskItem]) { self.tasks = tasks }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        tasks = try fields.required("tasks", \.tasks)
    }
}
