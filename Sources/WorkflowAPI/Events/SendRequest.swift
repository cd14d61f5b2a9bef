public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/events`.
public struct SendRequest: Equatable, WireObject {
    public var event: String
    /// Nil when the event comes without data; null on the wire means the same.
    public var data: JSONValue?
    public var expect: Expectation?

    /// Takes the parts as they are.
    public init(event: String, data: JSONValue? = nil, expect: Expectation? = nil) {
        self.event = event
        self.data = data
        self.expect = expect
    }

    public init(fields: inout WireFields) throws(WireError) {
        event = try fields.required("event")
        data = try fields.optional("data")
        expect = try fields.optional("expect")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", event)
            writer.field("data", ifPresent: data)
            writer.field("expect", ifPresent: expect)
        }
    }
}

/// What a caller expects an instance to be before its event is applied.
public struct Expectation: Equatable, WireObject {
    public var seq: Int64?
    /// The path of a state that must be active.
    public var state: String?

    /// Takes the parts as they are.
    public init(seq: Int64? = nil, state: String? = nil) {
        self.seq = seq
        self.state = state
    }

    public init(fields: inout WireFields) throws(WireError) {
        seq = try fields.optional("seq")
        state = try fields.optional("state")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("seq", ifPresent: seq)
            writer.field("state", ifPresent: state)
        }
    }
}
