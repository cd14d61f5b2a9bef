/// Transitions that were taken together, and their effects.
public struct ReplayMicrostep: Hashable, WireRecord {
    /// A transition that was taken.
    public struct Taken: Hashable, WireRecord {
        /// The path of the state that has the transition; empty for the root.
        public var source: String
        /// The paths of the targets.
        public var targets: [String]
        /// The line in the definition.
        public var line: Int

        /// Creates a value from its parts.
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

    /// The effect of an action.
    public struct ActionTrace: Hashable, WireRecord {
        /// The path of the state that has the action; empty for the root.
        public var state: String
        /// The line in the definition.
        public var line: Int
        /// The effect in plain words.
        public var text: String
        /// The number of states in `exited` that had been exited before the action.
        public var exited: Int
        /// The number of states in `entered` that had been entered before the action.
        public var entered: Int

        /// Creates a value from its parts.
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

    /// The event; `nil` for eventless transitions.
    public var event: String?
    /// The transitions, in document order.
    public var transitions: [Taken]
    /// The paths of the exited states, in order.
    public var exited: [String]
    /// The paths of the entered states, in order.
    public var entered: [String]
    /// The effects of the actions, in order.
    public var actions: [ActionTrace]

    /// Creates a value from its parts.
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
