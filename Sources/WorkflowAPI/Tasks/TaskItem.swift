public import WorkflowJSON

/// A task in the form that its worker gets.
public struct TaskItem: Equatable, WireRecord {
    /// The opaque name of the task, which is useless once the lease is lost.
    public var task: String
    public var instance: String
    /// The id of the invocation.
    public var id: String
    /// The number of the attempt, from 1.
    public var attempt: Int64
    /// The key that all attempts at this task share, and no other task has. Services use it to avoid doing the task
    /// twice.
    public var key: String
    /// The invocation's input, or null.
    public var input: JSONValue
    /// The progress that an earlier attempt reported with its heartbeats.
    public var progress: JSONValue?
    /// The time when the lease ends: without a heartbeat, other workers get the task.
    public var leasedUntil: WireTime
    /// The time when the invocation times out.
    public var deadline: WireTime?
    /// The header for requests that belong to the task (W3C Trace Context); `nil` from an older daemon.
    public var traceparent: String?

    /// Creates a value from its parts.
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

    /// Writes the fields by hand: the copy that a visitor makes would cost a fifth of the time, and many tasks are
    /// written.
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
    /// The tasks by priority, then by due time, then by age; empty if there are none.
    public var tasks: [TaskItem]

    /// Creates a value from its parts.
    public init(tasks: [TaskItem]) { self.tasks = tasks }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        tasks = try fields.required("tasks", \.tasks)
    }
}
