public import WorkflowJSON

/// An instance as it is now, or as it was after a macrostep.
public struct Instance: Equatable, WireRecord {
    /// The status of an instance, which decides whether it continues.
    public enum Status: String, WireWord {
        case running, done
        /// The instance needs an operator.
        case failed
        /// The instance is stopped: events wait until somebody resumes it.
        case suspended
        /// The instance was ended by somebody.
        case cancelled
    }

    /// The failure of an instance.
    public struct Failure: Equatable, WireRecord {
        /// The event that could not be applied; a retry applies it again.
        public var event: String
        /// The event's data.
        public var data: JSONValue?
        /// The type of the failure.
        public var type: ProblemType
        /// The failure in a sentence. This text and the fields below have no values of the instance's data, except the
        /// error text of a failed invocation.
        public var detail: String
        /// The seq of the row that records the failure.
        public var seq: Int64
        /// The time of the row that records the failure.
        public var at: WireTime
        /// The path of the state that the expression belongs to, empty for the root; `nil` for a livelock.
        public var state: String?
        /// The line in the definition; `nil` for a livelock.
        public var line: Int?
        /// The failed expression as in the definition; `nil` for a livelock.
        public var expression: String?
        /// The message of the error.
        public var message: String

        /// Creates a value from its parts.
        public init(
            event: String, data: JSONValue? = nil, type: ProblemType, detail: String, seq: Int64, at: WireTime,
            state: String? = nil, line: Int? = nil, expression: String? = nil, message: String
        ) {
            self.event = event
            self.data = data
            self.type = type
            self.detail = detail
            self.seq = seq
            self.at = at
            self.state = state
            self.line = line
            self.expression = expression
            self.message = message
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            event = try fields.required("event", \.event)
            data = try fields.optional("data", \.data)
            type = try fields.required("type", \.type)
            detail = try fields.required("detail", \.detail)
            seq = try fields.required("seq", \.seq)
            at = try fields.required("at", \.at)
            state = try fields.optional("state", \.state)
            line = try fields.optional("line", \.line)
            expression = try fields.optional("expression", \.expression)
            message = try fields.required("message", \.message)
        }
    }

    /// The name of the instance.
    public var instance: String
    public var machine: String
    public var version: Int64
    public var status: Status
    /// The paths of the active leaves, in document order.
    public var configuration: [String]
    /// The tags of the active states, each once; `nil` in lists, and if no state of the machine has tags.
    public var tags: [String]?
    /// The values that guards and actions read and change.
    public var context: JSONObject
    /// The output of the final state; `nil` while the instance runs, and if there is no output.
    public var output: JSONValue?
    /// The failure; `nil` if the instance has not failed.
    public var failure: Failure?
    /// The instance's suspension; `nil` if it is not suspended, and in a list if the suspension lies far back.
    public var suspended: InstanceSuspensionItem?
    /// The suspension of the machine, whatever the instance's own status. `nil` if the machine is not suspended, for a
    /// past state, and if the instance is done or cancelled.
    public var machineSuspended: MachineSuspensionItem?
    /// True if a part of the instance's history was erased; otherwise `nil`.
    public var redacted: Bool?
    /// The first effects that the instance waits for; `nil` if there are none, in lists, and for a past state.
    public var waitsFor: [EffectItem]?
    /// The last timer if it was skipped and nothing else will happen by itself; `nil` in lists and for a past state.
    public var timerSkipped: SkippedTimerItem?
    /// The seq of the last macrostep.
    public var seq: Int64
    /// The time when the instance entered its configuration; `nil` for a past state, and in the answer to a start.
    public var enteredAt: WireTime?
    /// The milliseconds from `enteredAt` until now; in lists only.
    public var inState: Int64?
    /// The time when the instance was started.
    public var createdAt: WireTime
    /// The time of the last macrostep.
    public var updatedAt: WireTime

    /// Creates a value from its parts.
    public init(
        instance: String, machine: String, version: Int64, status: Status, configuration: [String],
        tags: [String]? = nil, context: JSONObject, output: JSONValue? = nil, failure: Failure? = nil,
        suspended: InstanceSuspensionItem? = nil, machineSuspended: MachineSuspensionItem? = nil,
        redacted: Bool? = nil, waitsFor: [EffectItem]? = nil, timerSkipped: SkippedTimerItem? = nil, seq: Int64,
        enteredAt: WireTime? = nil, inState: Int64? = nil,
        createdAt: WireTime, updatedAt: WireTime
    ) {
        self.instance = instance
        self.machine = machine
        self.version = version
        self.status = status
        self.configuration = configuration
        self.tags = tags
        self.context = context
        self.output = output
        self.failure = failure
        self.suspended = suspended
        self.machineSuspended = machineSuspended
        self.redacted = redacted
        self.waitsFor = waitsFor
        self.timerSkipped = timerSkipped
        self.seq = seq
        self.enteredAt = enteredAt
        self.inState = inState
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        machine = try fields.required("machine", \.machine)
        version = try fields.required("version", \.version)
        status = try fields.required("status", \.status)
        configuration = try fields.required("configuration", \.configuration)
        tags = try fields.optional("tags", \.tags)
        context = try fields.required("context", \.context)
        output = try fields.optional("output", \.output)
        failure = try fields.optional("failure", \.failure)
        suspended = try fields.optional("suspended", \.suspended)
        machineSuspended = try fields.optional("machineSuspended", \.machineSuspended)
        redacted = try fields.optional("redacted", \.redacted)
        waitsFor = try fields.optional("waitsFor", \.waitsFor)
        timerSkipped = try fields.optional("timerSkipped", \.timerSkipped)
        seq = try fields.required("seq", \.seq)
        enteredAt = try fields.optional("enteredAt", \.enteredAt)
        inState = try fields.optional("inState", \.inState)
        createdAt = try fields.required("createdAt", \.createdAt)
        updatedAt = try fields.required("updatedAt", \.updatedAt)
    }

    /// Writes the fields by hand: the copy that a visitor makes would cost a fifth of the time, and many instances are
    /// written.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("machine", machine)
            writer.field("version", version)
            writer.field("status", status)
            writer.field("configuration", configuration)
            writer.field("tags", ifPresent: tags)
            writer.field("context", context)
            writer.field("output", ifPresent: output)
            writer.field("failure", ifPresent: failure)
            writer.field("suspended", ifPresent: suspended)
            writer.field("machineSuspended", ifPresent: machineSuspended)
            writer.field("redacted", ifPresent: redacted)
            writer.field("waitsFor", ifPresent: waitsFor)
            writer.field("timerSkipped", ifPresent: timerSkipped)
            writer.field("seq", seq)
            writer.field("enteredAt", ifPresent: enteredAt)
            writer.field("inState", ifPresent: inState)
            writer.field("createdAt", createdAt)
            writer.field("updatedAt", updatedAt)
        }
    }
}
