public import WorkflowJSON

/// The body of `POST /v1/instances`.
public struct StartRequest: Equatable, WireRecord {
    public var machine: String
    /// The version; `nil` for the version that new instances take.
    public var version: Int64?
    /// The name of the new instance; `nil` to let the daemon choose one.
    public var instance: String?
    /// Replaces top-level keys of the machine's context.
    public var data: JSONObject?

    /// Creates a value from its parts.
    public init(machine: String, version: Int64? = nil, instance: String? = nil, data: JSONObject? = nil) {
        self.machine = machine
        self.version = version
        self.instance = instance
        self.data = data
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        version = try fields.optional("version", \.version)
        instance = try fields.optional("instance", \.instance)
        data = try fields.optional("data", \.data)
    }
}
