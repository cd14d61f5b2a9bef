/// A macrostep of any instance, as streams send it.
public struct StreamItem: Equatable, WireRecord {
    public var instance: String
    public var machine: String
    /// The machine's version that took the step.
    public var version: Int64
    /// The row of the instance's history.
    public var row: HistoryItem

    /// Creates a value from its parts.
    public init(instance: String, machine: String, version: Int64, row: HistoryItem) {
        self.instance = instance
        self.machine = machine
        self.version = version
        self.row = row
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        machine = try fields.required("machine", \.machine)
        version = try fields.required("version", \.version)
        row = try fields.inlined(\.row)
    }
}
