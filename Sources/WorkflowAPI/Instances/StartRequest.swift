public import WorkflowJSON

/// The body of `POST /v1/instances`.
public struct StartRequest: Equatable, WireObject {
    public var machine: String
    /// Nil for the latest.
    public var version: Int64?
    /// The name of the new instance; nil lets the daemon choose one.
    public var instance: String?
    /// Replaces top-level keys of the machine's context.
    public var data: JSONObject?

    /// Takes the parts as they are.
    public init(machine: String, version: Int64? = nil, instance: String? = nil, data: JSONObject? = nil) {
        self.machine = machine
        self.version = version
        self.instance = instance
        self.data = data
    }

    public init(fields: inout WireFields) throws(WireError) {
        machine = try fields.required("machine")
        version = try fields.optional("version")
        instance = try fields.optional("instance")
        data = try fields.optional("data")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("machine", machine)
            writer.field("version", ifPresent: version)
            writer.field("instance", ifPresent: instance)
            writer.field("data", ifPresent: data)
        }
    }
}
