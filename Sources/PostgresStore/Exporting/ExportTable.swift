import Statechart
import WorkflowStore

/// A table whose rows are exported in the order of its key.
struct ExportTable: Sendable {
    let rows: KeyedTable
    /// True if each row may have much data, so that one answer has few of them.
    let isCostly: Bool
    /// True for a table of runs.
    let isOfRuns: Bool
    /// Reads a row behind its key.
    let read: @Sendable (inout AnswerRow, inout ExportedRows) throws -> Void

    init<Row: TableRow>(
        _ list: any WritableKeyPath<ExportedRows, [Row]> & Sendable,
        key: KeyValuePairs<String, KeyedTable.KeyType>, isCostly: Bool = false, isOfRuns: Bool = false
    ) {
        let table = Row.columns.table
        rows = KeyedTable("export-\(table)", key: key, columns: Row.columns.of("t"), from: "\(table) t")
        (self.isCostly, self.isOfRuns) = (isCostly, isOfRuns)
        read = { row, exported in exported[keyPath: list].append(try Row(row: &row)) }
    }

    /// The tables in the order that an export promises.
    static let all: [ExportTable] = [
        ExportTable(\.machines, key: ["id": .number], isCostly: true),
        ExportTable(\.instances, key: ["id": .number], isCostly: true),
        ExportTable(\.journal, key: ["position": .number], isCostly: true),
        ExportTable(\.snapshots, key: ["instance_id": .number, "seq": .number], isCostly: true),
        ExportTable(
            \.timers, key: ["partition": .number, "due_ms": .number, "position": .number, "ordinal": .number]),
        ExportTable(\.effects, key: ["id": .number], isCostly: true),
        ExportTable(\.attempts, key: ["effect": .number, "attempt": .number]),
        ExportTable(\.queues, key: ["name": .text]),
        ExportTable(\.settings, key: ["namespace_id": .number, "name": .text]),
        ExportTable(\.erasures, key: ["id": .number]),
        ExportTable(
            \.runs, key: ["namespace_id": .number, "name": .text, "partition": .number], isCostly: true,
            isOfRuns: true),
        ExportTable(
            \.runNames, key: ["namespace_id": .number, "name": .text, "partition": .number, "piece": .number],
            isCostly: true, isOfRuns: true),
        ExportTable(\.purges, key: ["partition": .number, "waits": .flag, "head": .number]),
        ExportTable(\.deletions, key: ["position": .number]),
        ExportTable(\.changes, key: ["position": .number]),
    ]
}
