/// Transitions taken together, and what they did.
public struct ReplayMicrostep: Hashable, WireRecord {
    /// A transition that was taken.
    public struct Taken: Hashable, WireRecord {
        public var source: String
        public var targets: [String]
        /// Of the definition.
        public var line: Int

        /// Takes the parts as they are.
        public init(source: String, targets: [String], line: Int) {
            self.source = source
            self.targets = targets
            self.line = line
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            source = try fields.required("source", \.source)
            targets = try fields.required("targets", \.targets)
            line = try fields.required("line", \.line)
        }
    }

    /// What an action did.
    public struct ActionTrace: Hashable, WireRecord {
        public var state: String
        /// Of the definition.
        public var line: Int
        public var text: String
        /// How many states of `exited` had been left before.
        public var exited: Int
        /// How many states of `entered` had been entered before.
        public var entered: Int

        /// Takes the parts as they are.
        public init(state: String, line: Int, text: String, exited: Int, entered: Int) {
            self.state = state
            self.line = line
            self.text = text
            self.exited = exited
            self.entered = entered
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            state = try fields.required("state", \.state)
            line = try fields.required("line", \.line)
            text = try fields.required("text", \.text)
            exited = try fields.required("exited", \.exited)
            entered = try fields.required("entered", \.entered)
        }
    }

    /// Nil for eventless transitions.
    public var event: String?
    public var transitions: [Taken]
    public var exited: [String]
    public var entered: [String]
    /// What the actions did, in order.
    public var actions: [ActionTrace]

    /// Takes the parts as they are.
    public init(event: String?, transitions: [Taken], exited: [String], entered: [String], actions: [ActionTrace]) {
        self.event = event
        self.transitions = transitions
        self.exited = exited
        self.entered = entered
        self.actions = actions
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.optional("event", \.event)
        transitions = try fields.required("transitions", \.transitions)
        exited = try fields.required("exited", \.exited)
        entered = try fields.required("entered", \.entered)
        actions = try fields.required("actions", \.actions)
    }
}
