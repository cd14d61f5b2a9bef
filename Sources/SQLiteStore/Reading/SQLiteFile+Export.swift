import GRDB
import Statechart
package import WorkflowStore

extension SQLiteFile: StoreExport {
    package func exportedStore() async throws(StoreError) -> ExportedStore {
        try await readers.slice { database, _ in
            guard let row = try StoreRow.read(database) else { throw StoreRow.missing }
            return ExportedStore(
                identity: StoreIdentity(uuid: row.uuid, generation: row.generation), clock: row.clock,
                numbers: row.numbers, keys: row.keys, purgeFloor: row.purgeFloor)
        }
    }

    package func exportRows(after place: InspectionPlace) async throws(StoreError) -> ExportedRows {
        let bytes = limits.pageBytes
        return try await readers.slice { database, budget in
            // An export gets back only the places that it gave; any other one begins anew.
            let place = place.mark as? ExportPlace ?? ExportPlace()
            let table = ExportTable.all[place.table]
            var rows = ExportedRows()
            var next: ExportPlace? = place
            next?.last = try table.read(database, place.last, bytes, &budget, &rows)
            if next?.last == nil {
                next = place.table + 1 < ExportTable.all.count ? ExportPlace(table: place.table + 1) : nil
            }
            rows.next = next.map(InspectionPlace.init)
            return rows
        }
    }
}

/// A place in the walk through the tables.
private struct ExportPlace: Sendable {
    var table = 0
    /// The key of the last row that was read; `nil` before the first.
    var last: [StoredValue]?
}

/// A table whose rows are read in the order of its key.
private struct ExportTable: Sendable {
    typealias Read =
        @Sendable (Database, [StoredValue]?, Int, inout SliceBudget, inout ExportedRows) throws -> [StoredValue]?

    /// Reads the rows after a key, until the slice's budget or the bytes end. Returns the last key; `nil` after the
    /// last row.
    let read: Read

    init<Row: TableRow>(
        _ rows: any WritableKeyPath<ExportedRows, [Row]> & Sendable, key: [String],
        size: @escaping @Sendable (Row) -> Int = { _ in 512 }
    ) {
        let list = key.joined(separator: ", ")
        let places = key.map { _ in "?" }.joined(separator: ", ")
        read = { database, last, bytes, budget, exported in
            let condition = last == nil ? "" : "WHERE (\(list)) > (\(places))"
            var select = try PreparedStatement(
                database,
                "SELECT \(list), \(Row.columns) FROM \(Row.columns.table) \(condition) ORDER BY \(list)")
            for value in last ?? [] { select.bind(value) }
            var (next, left): ([StoredValue]?, Int) = (nil, bytes)
            try select.forEachRow { row in
                let values = key.map { _ in row.value() }
                let record = try Row(row: &row)
                exported[keyPath: rows].append(record)
                left -= size(record)
                if budget.spend(), left > 0 { return true }
                next = values
                return false
            }
            return next
        }
    }

    static let all: [ExportTable] = [
        ExportTable(\.machines, key: ["id"], size: { $0.source.utf8.count }),
        ExportTable(\.instances, key: ["id"], size: { $0.size }),
        ExportTable(\.journal, key: ["position"], size: { $0.size }),
        ExportTable(\.snapshots, key: ["instance_id", "seq"], size: { 512 + $0.state.context.utf8.count }),
        ExportTable(\.timers, key: ["due_ms", "position", "ordinal"]),
        ExportTable(\.effects, key: ["id"], size: { 512 + $0.request.utf8.count }),
        ExportTable(\.attempts, key: ["effect", "attempt"]),
        ExportTable(\.queues, key: ["name"]),
        ExportTable(\.settings, key: ["namespace_id", "name"]),
        ExportTable(\.erasures, key: ["id"]),
        ExportTable(\.runs, key: BulkKey.columns, size: { 512 + $0.outcome.utf8.count }),
        ExportTable(\.runNames, key: BulkKey.columns + ["piece"], size: { $0.instances.utf8.count }),
        ExportTable(\.purges, key: ["waits", "head"]),
        ExportTable(\.deletions, key: ["position"]),
        ExportTable(\.changes, key: ["position"]),
        ExportTable(\.restorations, key: ["generation"]),
    ]
}
