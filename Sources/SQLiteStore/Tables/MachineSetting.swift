import WorkflowStore

extension MachineSetting: TableRow {
    static let columns = Columns(
        of: "machine_setting", blank: MachineSetting(of: MachineKey("", in: NamespaceID(rawValue: 0))))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("namespace_id", row.key.namespace) {
            $0 = MachineSetting(of: MachineKey("", in: try $1.namespaceID()))
        }
        try column("name", row.key.name) {
            $0 = MachineSetting(of: MachineKey(try $1.machineName(), in: $0.key.namespace))
        }
        try column("active", row.active) { $0.active = try $1.optionalVersion() }
        try column("retention_ms", row.retention) { $0.retention = try $1.optionalSpan() }
        try column("suspended_ms", row.suspension?.at) {
            $0.suspension = try $1.optionalTime().map { MachineSuspension(at: $0, by: nil, reason: nil) }
        }
        try column("suspended_by", row.suspension?.actor) { row, columns in
            let actor = try columns.actor()
            row.suspension?.actor = actor
        }
        try column("suspended_why", row.suspension?.reason) { row, columns in
            let reason = try columns.optionalText()
            row.suspension?.reason = reason
        }
    }
}

extension Table {
    /// The table of machine settings, checked for settings whose version does not exist.
    static let setting = Table(
        "machine_setting", key: ["namespace_id", "name"], since: 3,
        rows: """
            SELECT \(MachineSetting.columns), EXISTS (
                SELECT 1 FROM machine m WHERE m.namespace_id = s.namespace_id AND m.name = s.name
                AND m.version = coalesce(s.active, m.version))
            FROM machine_setting s
            """, as: "s"
    ) { row, _ in
        let setting = try MachineSetting(row: &row)
        if row.integer() == 1 { return nil }
        let version = setting.active.map { "version \($0) of " } ?? ""
        return Inconsistency("something is set for \(version)machine '\(setting.key.name)', which is not there")
    }
}
