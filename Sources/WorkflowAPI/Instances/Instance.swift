public import WorkflowJSON

/// An instance as it is now.
public struct Instance: Equatable, WireRecord {
    /// Whether an instance goes on.
    public enum Status: String, WireWord {
        case running, done
        /// It needs an operator.
        case failed
        /// Somebody has stopped it: what comes waits until it is resumed.
        case suspended
        /// Somebody has ended it.
        case cancelled
    }

    /// Why an instance has failed.
    public struct Failure: Equatable, WireRecord {
        /// The event that could not be applied; a retry applies it again.
        public var event: String
        public var data: JSONValue?
        /// What was wrong with it.
        public var type: ProblemType
        /// The same in a sentence. Like all that follows it has no values of the instance's data, but for what was
        /// said of an invocation that failed.
        public var detail: String
        /// Of the row that records it.
        public var seq: Int64
        /// Of the row that records it.
        public var at: WireTime
        /// The path of the state that the expression belongs to, empty for the root; nil for a livelock.
        public var state: String?
        /// Of the definition; nil for a livelock.
        public var line: Int?
        /// What failed, as the definition has it; nil for a livelock.
        public var expression: String?
        public var message: String

        /// Takes the parts as they are.
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

    /// Its name.
    public var instance: String
    public var machine: String
    public var version: Int64
    public var status: Status
    /// The paths of the active leaves, in document order.
    public var configuration: [String]
    /// The tags of the active states, each once; nil in lists, and when no state of the machine has any.
    public var tags: [String]?
    public var context: JSONObject
    /// What the final state gave; nil while the instance runs, and when it gives nothing.
    public var output: JSONValue?
    /// Why it failed; nil when it has not.
    public var failure: Failure?
    /// The suspension of it; nil when it is not suspended, and in a list where that lies far back.
    public var suspended: InstanceSuspensionItem?
    /// The suspension of its machine, whatever its own status; nil when that is not suspended, of a past state, and
    /// when the instance is done or cancelled.
    public var machineSuspended: MachineSuspensionItem?
    /// True when something of its history was erased. Nil otherwise.
    public var redacted: Bool?
    /// The first effects that it waits for; nil in lists, of a past state, and when it waits for none.
    public var waitsFor: [EffectItem]?
    /// The last timer, when it was skipped and nothing else will happen by itself; nil in lists and for a past state.
    public var timerSkipped: SkippedTimerItem?
    public var seq: Int64
    /// Since when its configuration is what it is; nil of a past state, and when it has just started.
    public var enteredAt: WireTime?
    /// The same as milliseconds until now; in lists only.
    public var inState: Int64?
    public var createdAt: WireTime
    public var updatedAt: WireTime

    /// Takes the parts as they are.
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

    /// Written by hand, because its copy would cost a fifth of the writing, and many are written.
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
