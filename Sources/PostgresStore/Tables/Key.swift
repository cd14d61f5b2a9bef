import WorkflowStore

extension KeyRecord: TableRow {
    static let columns = Columns(
        of: "dedupe",
        blank: KeyRecord(
            key: RequestKey(bytes: []), scope: .machine(MachineID(rawValue: 0)), position: Position(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("key", row.key) { $0.key = RequestKey(bytes: try $1.blob()) }
        try column("scope", row.scope) { row, next in
            let limit = PartitionID(rawValue: PartitionID.range.upperBound).rawValues.upperBound
            let scope = try next.integer(in: -limit...limit)
            row.scope = scope > 0 ? .instance(InstanceID(rawValue: scope)) : .machine(MachineID(rawValue: -scope))
        }
        try column("position", row.position) { $0.position = try $1.position() }
    }

    static let byKey = columns.select("dedupe-key", "WHERE key = $1::bytea AND scope = $2::bigint")
}
