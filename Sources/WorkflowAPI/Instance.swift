public import JSON

/// An instance as it is now.
public struct Instance: Equatable, WireObject {
    /// Whether an instance goes on.
    public enum Status: String, CaseIterable, Sendable, WireReadable {
        case running, done
        /// It needs an operator.
        case failed
        case cancelled
    }

    /// Its name.
    public var instance: String
    public var machine: String
    public var version: Int64
    public var status: Status
    /// The paths of the active leaves, in document order.
    public var configuration: [String]
    public var context: JSONObject
    public var seq: Int64
    public var createdAt: WireTime
    public var updatedAt: WireTime

    /// Takes the parts as they are.
    public init(
        instance: String, machine: String, version: Int64, status: Status, configuration: [String],
        context: JSONObject, seq: Int64, createdAt: WireTime, updatedAt: WireTime
    ) {
        self.instance = instance
        self.machine = machine
        self.version = version
        self.status = status
        self.configuration = configuration
        self.context = context
        self.seq = seq
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        machine = try fields.required("machine")
        version = try fields.required("version")
        status = try fields.required("status")
        configuration = try fields.required("configuration")
        context = try fields.required("context")
        seq = try fields.required("seq")
        createdAt = try fields.required("createdAt")
        updatedAt = try fields.required("updatedAt")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("machine", machine)
            writer.field("version", version)
            writer.field("status", status.rawValue)
            writer.field("configuration", configuration)
            writer.field("context", context)
            writer.field("seq", seq)
            writer.field("createdAt", createdAt)
            writer.field("updatedAt", updatedAt)
        }
    }
}
