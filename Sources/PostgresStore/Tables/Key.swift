import WorkflowStore

extension KeyRecord: TableRow {
    static let columns = Columns(
        of: "dedupe",
        blank: KeyRecord(
            key: RequestKey(bytes: []), scope: .machine(MachineID(rawValue: 0)), position: Position(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("key", row.key) { $0.key = RequestKey(bytes: try $1.blob()) }
        try column("scope", row.scope) { $0.scope = try $1.keyScope() }
        try column("position", row.position) { $0.position = try $1.position() }
    }

    static let byKey = columns.select("dedupe-key", "WHERE key = $1::bytea AND scope = $2::bigint")

    private static let deletion = Statement(
        name: "delete-dedupe",
        sql: """
            DELETE FROM dedupe d USING unnest($1::int8[], $2::int8[], $3::bytea[]) u (position, scope, key)
            WHERE d.key = u.key AND d.scope = u.scope AND d.position = u.position
            """
    ).requiringAll

    /// Returns the request that deletes keys, all of which must be there; `nil` for none.
    static func delete(_ keys: [KeyRecord]) -> Request? {
        if keys.isEmpty { return nil }
        var bytes = ArrayColumn(.bytea)
        for key in keys { key.key.append(to: &bytes) }
        return Request(deletion) {
            $0.add(ArrayColumn(keys.map(\.position.rawValue)))
            $0.add(ArrayColumn(keys.map(\.scope.rawValue)))
            $0.add(bytes)
        }
    }
}

extension AnswerRow {
    mutating func keyScope() throws(PostgresFailure) -> KeyScope {
        let limit = PartitionID(rawValue: PartitionID.range.upperBound).rawValues.upperBound
        let scope = try integer(in: -limit...limit)
        return scope > 0 ? .instance(InstanceID(rawValue: scope)) : .machine(MachineID(rawValue: -scope))
    }
}
