public import WorkflowJSON

/// One line of the body of `POST /v1/events`: an event for an instance.
public struct BatchLine: Equatable, WireObject {
    public var instance: String
    public var event: String
    /// Nil when the event comes without data; null on the wire means the same.
    public var data: JSONValue?
    public var expect: Expectation?
    /// The same event with the same key is applied once.
    public var key: String?

    /// Takes the parts as they are.
    public init(
        instance: String, event: String, data: JSONValue? = nil, expect: Expectation? = nil, key: String? = nil
    ) {
        self.instance = instance
        self.event = event
        self.data = data
        self.expect = expect
        self.key = key
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        event = try fields.required("event")
        data = try fields.optional("data")
        expect = try fields.optional("expect")
        key = try fields.optional("key")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("event", event)
            writer.field("data", ifPresent: data)
            writer.field("expect", ifPresent: expect)
            writer.field("key", ifPresent: key)
        }
    }
}

/// One line of the answer of `POST /v1/events`: what became of the line of the same number.
public struct BatchAnswer: Equatable, WireObject {
    /// Counted from 1; lines without anything on them count too.
    public var line: Int64
    /// The HTTP status that the event alone would have got.
    public var status: Int
    /// True when this is the answer to an earlier event with the same key, given again.
    public var repeated: Bool?
    /// Of an event that was applied.
    public var answer: SendAnswer?
    /// Of an event that was not.
    public var error: Problem?

    /// Takes the parts as they are.
    public init(
        line: Int64, status: Int, repeated: Bool? = nil, answer: SendAnswer? = nil, error: Problem? = nil
    ) {
        self.line = line
        self.status = status
        self.repeated = repeated
        self.answer = answer
        self.error = error
    }

    public init(fields: inout WireFields) throws(WireError) {
        line = try fields.required("line")
        status = try fields.required("status")
        repeated = try fields.optional("repeated")
        answer = try fields.optional("answer")
        error = try fields.optional("error")
    }

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
    /// Apply all lines in one transaction, or none.
    public var atomic: Bool
    /// Say the instance's context in each line of the answer; not with `atomic`.
    public var context: Bool

    /// Takes the parts as they are.
    public init(atomic: Bool = false, context: Bool = false) {
        self.atomic = atomic
        self.context = context
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
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

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("atomic", atomic)
        query.add("context", context)
        return query.text
    }
}
