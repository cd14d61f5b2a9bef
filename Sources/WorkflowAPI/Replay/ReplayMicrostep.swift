public import WorkflowJSON

/// Transitions taken together, and what they did.
public struct ReplayMicrostep: Hashable, WireObject {
    /// A transition that was taken.
    public struct Taken: Hashable, WireObject {
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

        public init(fields: inout WireFields) throws(WireError) {
            source = try fields.required("source")
            targets = try fields.required("targets")
            line = try fields.required("line")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("source", source)
                writer.field("targets", targets)
                writer.field("line", Int64(line))
            }
        }
    }

    /// What an action did.
    public struct ActionTrace: Hashable, WireObject {
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

        public init(fields: inout WireFields) throws(WireError) {
            state = try fields.required("state")
            line = try fields.required("line")
            text = try fields.required("text")
            exited = try fields.required("exited")
            entered = try fields.required("entered")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("state", state)
                writer.field("line", Int64(line))
                writer.field("text", text)
                writer.field("exited", Int64(exited))
                writer.field("entered", Int64(entered))
            }
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

    public init(fields: inout WireFields) throws(WireError) {
        event = try fields.optional("event")
        transitions = try fields.required("transitions")
        exited = try fields.required("exited")
        entered = try fields.required("entered")
        actions = try fields.required("actions")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", ifPresent: event)
            writer.field("transitions", transitions)
            writer.field("exited", exited)
            writer.field("entered", entered)
            writer.field("actions", actions)
        }
    }
}
