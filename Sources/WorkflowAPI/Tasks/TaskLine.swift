public import WorkflowJSON

/// A line of the body of `POST /v1/tasks`: a worker's report about a task.
public struct TaskLine: Equatable, WireObject {
    /// The content of a report.
    public enum Report: Equatable, Sendable {
        /// The result of the task.
        case complete(JSONValue)
        /// The failure of an attempt.
        case fail(FailRequest)
        /// A sign that the worker is still working.
        case heartbeat(HeartbeatRequest)
    }

    /// The opaque name of the task, from its lease.
    public var task: String
    public var report: Report

    public init(fields: inout WireFields) throws(WireError) {
        task = try fields.required("task")
        let result: JSONValue? = try fields.optional("complete")
        let complete = fields.isNull("complete") ? .null : result
        let fail: FailRequest? = try fields.optional("fail")
        let heartbeat: HeartbeatRequest? = try fields.optional("heartbeat")
        switch (complete, fail, heartbeat) {
        case (let result?, nil, nil): report = .complete(result)
        case (nil, let fail?, nil): report = .fail(fail)
        case (nil, nil, let heartbeat?): report = .heartbeat(heartbeat)
        default:
            throw WireError(
                .invalidValue, path: "", message: "A line has one of the fields 'complete', 'fail' and 'heartbeat'")
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("task", task)
            switch report {
            case .complete(let result): writer.field("complete", result)
            case .fail(let fail): writer.field("fail", fail)
            case .heartbeat(let heartbeat): writer.field("heartbeat", heartbeat)
            }
        }
    }
}

/// A line of the answer of `POST /v1/tasks`: the result of the line with the same number.
public struct TaskLineAnswer: Equatable, WireRecord {
    /// The number of the line, counted from 1. Empty lines count too.
    public var line: Int64
    /// The HTTP status that the report would have got in a request of its own.
    public var status: Int
    /// The time when the lease ends, after a heartbeat: without another one, other workers get the task.
    public var leasedUntil: WireTime?
    /// The problem of a refused report.
    public var error: Problem?

    /// Creates a value from its parts.
    public init(line: Int64, status: Int, leasedUntil: WireTime? = nil, error: Problem? = nil) {
        self.line = line
        self.status = status
        self.leasedUntil = leasedUntil
        self.error = error
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        line = try fields.required("line", \.line)
        status = try fields.required("status", \.status)
        leasedUntil = try fields.optional("leasedUntil", \.leasedUntil)
        error = try fields.optional("error", \.error)
    }
}
