public import WorkflowJSON

/// A transition that an event could take, and the result of trying it.
public struct Candidate: Hashable, WireRecord {
    /// The result of trying a candidate.
    public enum Verdict: String, WireWord {
        case taken
        /// The candidate was enabled, but a transition of a descendant or of an earlier region comes first.
        case preempted
        /// The candidate's guard was false.
        case rejected
        /// The candidate's guard could not be evaluated.
        case failed
        /// The candidate was not tried: an earlier one of the same state, or one of a state below, was enabled.
        case notAsked = "not asked"
    }

    /// The path of the state that has the transition; empty for the root.
    public var state: String
    /// The event descriptor as in the definition.
    public var on: String
    /// The paths of the targets.
    public var targets: [String]
    /// The line in the definition.
    public var line: Int
    /// The guard as in the definition; `nil` if there is none.
    public var `guard`: String?
    /// The result of trying the candidate.
    public var verdict: Verdict
    /// The reason why the guard could not be evaluated.
    public var failure: String?
    /// The values that the guard read.
    public var reads: [Read]

    /// A value that a guard read.
    public struct Read: Hashable, WireRecord {
        /// The expression as in the definition: `context.amount`.
        public var expression: String
        /// The value; `nil` if it could not be read.
        public var value: JSONText?

        /// Creates a value from its parts.
        public init(expression: String, value: JSONText?) {
            self.expression = expression
            self.value = value
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            expression = try fields.required("expression", \.expression)
            value = try fields.optional("value", \.value)
        }
    }

    /// Creates a value from its parts.
    public init(
        state: String, on: String, targets: [String], line: Int, guard: String?, verdict: Verdict,
        failure: String? = nil, reads: [Read] = []
    ) {
        self.state = state
        self.on = on
        self.targets = targets
        self.line = line
        self.guard = `guard`
        self.verdict = verdict
        self.failure = failure
        self.reads = reads
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        state = try fields.required("state", \.state)
        on = try fields.required("on", \.on)
        targets = try fields.required("targets", \.targets)
        line = try fields.required("line", \.line)
        self.guard = try fields.optional("guard", \.guard)
        verdict = try fields.required("verdict", \.verdict)
        failure = try fields.optional("failure", \.failure)
        reads = try fields.optional("reads") { $0.reads.isEmpty ? nil : $0.reads } ?? []
    }
}

/// A JSON value on the wire. Two values are equal if their bytes are equal.
public struct JSONText: Hashable, WireValue {
    public var value: JSONValue

    /// Wraps a value.
    public init(_ value: JSONValue) {
        self.value = value
    }

    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> JSONText {
        JSONText(json)
    }

    public func write(to writer: inout JSONWriter) {
        value.write(to: &writer)
    }

    /// The canonical text.
    public var text: String { JSONWriter.string(value) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
