import WorkflowStore

// The settings of queues and machines, and the record of changes.

extension QueueRecord: TableRow {
    static let columns = Columns(
        of: "queue", blank: QueueRecord(name: "", settings: .standard, actor: nil, set: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        let settings = row.settings
        try column("name", row.name) { $0.name = try $1.name() }
        try column("concurrency", settings.concurrency.map(Int64.init)) {
            $0.settings.concurrency = try $1.optionalInteger(in: 0...Int64(Int32.max)).map { Int($0) }
        }
        try column("rate", settings.rate.map(Int64.init)) {
            $0.settings.rate = try $1.optionalInteger(in: 1...Int64(Int32.max)).map { Int($0) }
        }
        try column("rate_ms", settings.rateMilliseconds) { $0.settings.rateMilliseconds = try $1.optionalSpan() }
        try column("paused", settings.isPaused) { $0.settings.isPaused = try $1.flag() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("set_ms", row.set) { $0.set = try $1.time() }
    }

    static let byName = columns.select("queue-name", "WHERE name = $1::text")

    /// No name is empty.
    static let after = columns.select("queues-after", "WHERE name > $1::text ORDER BY name LIMIT $2::bigint")
}

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
        try column("active", row.active) {
            $0.active = try $1.optionalInteger(in: StoreNumbers.range).map(MachineVersion.init(rawValue:))
        }
        try column("retention_ms", row.retention) { $0.retention = try $1.optionalSpan() }
        try column("suspended_ms", row.suspension?.at) {
            $0.suspension = try $1.optionalTime().map { MachineSuspension(at: $0, by: nil, reason: nil) }
        }
        try column("suspended_by", row.suspension?.actor) { row, columns in
            let actor = try columns.actor()
            row.suspension?.actor = actor
        }
        try column("suspended_why", FreeText(row.suspension?.reason)) { row, columns in
            let reason = try columns.freeText()
            row.suspension?.reason = reason
        }
    }

    static let byKey = columns.select("machine-setting", "WHERE namespace_id = $1::bigint AND name = $2::text")

    static let ofNamespace = columns.select(
        "machine-settings-of",
        "WHERE namespace_id = $1::bigint AND name > $2::text ORDER BY name LIMIT $3::bigint")

    static let after = columns.select(
        "machine-settings-after",
        "WHERE (namespace_id, name) > ($1::bigint, $2::text) ORDER BY namespace_id, name LIMIT $3::bigint")
}

extension ChangeRecord: TableRow {
    static let columns = Columns(
        of: "change",
        blank: ChangeRecord(
            position: Position(rawValue: 0), namespace: NamespaceID(rawValue: 0), at: Timestamp(rawValue: 0), by: nil,
            .apply))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("position", row.position) { $0.position = try $1.position() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("action", row.action) { $0.action = try $1.word() }
        try column("object", row.object) { $0.object = try $1.optionalText() }
        try column("version", row.version) {
            $0.version = try $1.optionalInteger(in: StoreNumbers.range).map(MachineVersion.init(rawValue:))
        }
        try column("number", row.number) { $0.number = try $1.optionalInteger(in: ChangeRecord.numbers) }
        try column("detail", FreeText(row.detail)) { $0.detail = try $1.freeText() }
        try column("reason", FreeText(row.reason)) { $0.reason = try $1.freeText() }
    }

    static let lastNumbered = columns.select(
        "last-change", "WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1")
}

/// The column that says if effects are held, in the row of the store.
enum HeldColumn {
    static let write = Statement(name: "set-held", sql: "UPDATE store SET held = $1::boolean WHERE id = 1")

    static let read = Statement(name: "held", sql: "SELECT held FROM store WHERE id = 1")
}
