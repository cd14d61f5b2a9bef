public import WorkflowJSON

/// That a machine is suspended: nothing starts, and its instances take nothing.
public struct MachineSuspensionItem: Equatable, WireObject {
    public var machine: String
    /// Since when.
    public var at: WireTime
    /// Who has suspended it; nil where nobody is known.
    public var actor: String?
    /// What the person said.
    public var reason: String?

    /// Takes the parts as they are.
    public init(machine: String, at: WireTime, actor: String? = nil, reason: String? = nil) {
        self.machine = machine
        self.at = at
        self.actor = actor
        self.reason = reason
    }

    public init(fields: inout WireFields) throws(WireError) {
        machine = try fields.required("machine")
        at = try fields.required("at")
        actor = try fields.optional("actor")
        reason = try fields.optional("reason")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("machine", machine)
            writer.field("at", at)
            writer.field("actor", ifPresent: actor)
            writer.field("reason", ifPresent: reason)
        }
    }
}
