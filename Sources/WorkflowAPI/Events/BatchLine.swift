public import WorkflowJSON

/// One line of the body of `POST /v1/events`: an event for an instance, or an instance to start.
public struct BatchLine: Equatable, WireObject {
    /// The event or the start.
    public enum Content: Equatable, Sendable {
        /// An event for an existing instance.
        case event(SendRequest)
        /// The start of a new instance.
        case start(Start)
    }

    /// The machine of a new instance, and the instance's initial data.
    public struct Start: Equatable, WireRecord {
        public var machine: String
        /// The version; `nil` for the active version if one is set, else for the latest.
        public var version: Int64?
        /// Replaces top-level keys of the machine's context.
        public var data: JSONObject?

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            machine = try fields.required("machine", \.machine)
            version = try fields.optional("version", \.version)
            data = try fields.optional("data", \.data)
        }
    }

    public var instance: String
    public var content: Content
    /// The idempotency key: the daemon carries out the same event or start with the same key once.
    public var key: String?

    /// Creates a line with an event.
    ///
    /// - Parameter data: The event's data; `nil` for an event without data, like null on the wire.
    public init(
        instance: String, event: String, data: JSONValue? = nil, expect: Expectation? = nil, key: String? = nil
    ) {
        self.instance = instance
        content = .event(SendRequest(event: event, data: data, expect: expect))
        self.key = key
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        // Most lines are events: nothing else is looked for in them.
        if let event = try fields.optional("event", as: String.self) {
            content = .event(
                SendRequest(event: event, data: try fields.optional("data"), expect: try fields.optional("expect")))
        } else if let start = try fields.optional("start", as: Start.self) {
            content = .start(start)
        } else {
            throw WireError(.missingField, path: "event", message: "Field 'event' or 'start' is missing")
        }
        key = try fields.optional("key")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            switch content {
            case .event(let event):
                writer.field("event", event.event)
                writer.field("data", ifPresent: event.data)
                writer.field("expect", ifPresent: event.expect)
            case .start(let start): writer.field("start", start)
            }
            writer.field("key", ifPresent: key)
        }
    }
}

/// A line of the answer of `POST /v1/events`: the result of the line with the same number.
public struct BatchAnswer: Equatable, WireRecord {
    /// The number of the line, counted from 1. Empty lines count too.
    public var line: Int64
    /// The HTTP status that the event or the start would have got in a request of its own.
    public var status: Int
    /// True if this repeats the answer to an earlier line with the same key; otherwise `nil`.
    public var repeated: Bool?
    /// The answer to an applied event. A start has the answer to its event `init`, whose `from` is empty.
    public var answer: SendAnswer?
    /// The problem of a refused line.
    public var error: Problem?

    /// Creates a value from its parts.
    public init(
        line: Int64, status: Int, repeated: Bool? = nil, answer: SendAnswer? = nil, error: Problem? = nil
    ) {
        self.line = line
        self.status = status
        self.repeated = repeated
        self.answer = answer
        self.error = error
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        line = try fields.required("line", \.line)
        status = try fields.required("status", \.status)
        repeated = try fields.optional("repeated", \.repeated)
        answer = try fields.optional("answer", \.answer)
        error = try fields.optional("error", \.error)
    }

    /// Writes the fields by hand: the copy that a visitor makes would cost a fifth of the time, and many lines are
    /// written.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("line", line)
            writer.field("status", Int64(status))
            writer.field("repeated", ifPresent: repeated)
            writer.field("answer", ifPresent: answer)
            writer.field("error", ifPresent: error)
        }
    }
}

/// The query of `POST /v1/events`.
public struct BatchParameters: Hashable, Sendable {
    /// True to apply all lines in one transaction, or none.
    public var atomic: Bool
    /// True to include the instance's context in each line of the answer; not allowed with `atomic`.
    public var context: Bool

    /// Creates a value from its parts.
    public init(atomic: Bool = false, context: Bool = false) {
        self.atomic = atomic
        self.context = context
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        atomic = try fields.bool("atomic")
        context = try fields.bool("context")
        try fields.refuseUnknown()
        if atomic, context {
            throw WireError(
                .invalidParameter, path: "context", message: "Parameter 'context' does not go with 'atomic'")
        }
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("atomic", atomic)
        query.add("context", context)
        return query.text
    }
}
