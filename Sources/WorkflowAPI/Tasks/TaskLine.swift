public import WorkflowJSON

/// One line of the body of `POST /v1/tasks`: what a worker says of a task.
public struct TaskLine: Equatable, WireObject, WireDescribed {
    /// What it says.
    public enum Report: Equatable, Sendable {
        /// The result.
        case complete(JSONValue)
        case fail(FailRequest)
        case heartbeat(HeartbeatRequest)
    }

    /// As it was leased.
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

    public static func schema(in book: inout SchemaBook) -> JSONObject {
        book.choice(
            Self.self, always: ["task": ["type": "string"]],
            of: [("complete", JSONValue.self), ("fail", FailRequest.self), ("heartbeat", HeartbeatRequest.self)])
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

/// One line of the answer of `POST /v1/tasks`: what became of the line of the same number.
public struct TaskLineAnswer: Equatable, WireRecord {
    /// Counted from 1; lines without anything on them count too.
    public var line: Int64
    /// The HTTP status that the report alone would have got.
    public var status: Int
    /// Of a sign of life: without another one others get the task then.
    public var leasedUntil: WireTime?
    /// Of a report that was not taken.
    public var error: Problem?

    /// Takes the parts as they are.
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
