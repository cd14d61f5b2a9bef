public import WorkflowJSON

/// One macrostep of any instance, as streams tell it.
public struct StreamItem: Equatable, WireObject {
    public var instance: String
    public var machine: String
    /// The machine's version that took the step.
    public var version: Int64
    /// What the instance's history says of it.
    public var row: HistoryItem

    /// Takes the parts as they are.
    public init(instance: String, machine: String, version: Int64, row: HistoryItem) {
        self.instance = instance
        self.machine = machine
        self.version = version
        self.row = row
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        machine = try fields.required("machine")
        version = try fields.required("version")
        row = try HistoryItem(fields: &fields)
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("machine", machine)
            writer.field("version", version)
            row.writeFields(to: &writer)
        }
    }
}
