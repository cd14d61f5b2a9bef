import WorkflowStore

extension QueueRecord: TableRow {
    static let columns = Columns(
        of: "queue", blank: QueueRecord(name: "", settings: .standard, actor: nil, set: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("name", row.name) { $0.name = try $1.name() }
        try column("concurrency", row.settings.concurrency) { $0.settings.concurrency = try $1.optionalNumber(from: 0) }
        try column("rate", row.settings.rate) { $0.settings.rate = try $1.optionalNumber(from: 1) }
        try column("rate_ms", row.settings.rateMilliseconds) { $0.settings.rateMilliseconds = try $1.optionalSpan() }
        try column("paused", row.settings.isPaused) { $0.settings.isPaused = try $1.flag() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("set_ms", row.set) { $0.set = try $1.time() }
    }
}

extension StatementRow {
    fileprivate mutating func optionalNumber(from least: Int64) throws(SQLiteFailure) -> Int? {
        try optionalInteger(in: least...Int64(Int32.max)).map { Int($0) }
    }
}

extension Table {
    /// The table of queues, which need only be readable.
    static let queue = Table("queue", key: ["name"], since: 2, rows: QueueRecord.columns.select) { row, _ in
        _ = try QueueRecord(row: &row)
        return nil
    }
}
