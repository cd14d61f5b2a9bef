import GRDB
import Statechart
package import WorkflowStore

extension SQLiteFileStore {
    package func journal(_ query: JournalQuery, in namespace: NamespaceID) async throws(StoreError) -> JournalSlice {
        try await readers.slice { database, budget in
            var reading = JournalReading(query, in: namespace)
            try reading.run(database, &budget)
            return reading.slice
        }
    }
}

/// One slice of the journal in the order of positions.
private struct JournalReading {
    private let query: JournalQuery
    private let namespace: NamespaceID
    private var bytesLeft: Int
    /// The machine versions of the slice; nil for those that are not wanted.
    private var machines: [Int64: MachineRecord?] = [:]
    var slice: JournalSlice

    init(_ query: JournalQuery, in namespace: NamespaceID) {
        self.query = query
        self.namespace = namespace
        bytesLeft = query.bytes
        slice = JournalSlice(through: query.after, isLast: true)
    }

    // Behind the columns of a row: its instance's name, and whether the row before it says `failed` where nobody did
    // this one.
    private static let select = """
        SELECT \(JournalRecord.columns),
            (SELECT name FROM instance WHERE id = instance_id AND namespace_id = ? AND status IS NOT 'purging'),
            CASE WHEN kind = 'failed' THEN actor IS NOT NULL OR EXISTS (
                SELECT 1 FROM journal AS earlier
                WHERE earlier.position = journal.previous AND earlier.kind = 'failed') ELSE 0 END
        FROM journal WHERE position > ? AND position <= ? ORDER BY position
        """
    private static let columns: (name: CInt, isRetry: CInt) = (17, 18)

    mutating func run(_ database: Database, _ budget: inout SliceBudget) throws {
        var select = try PreparedStatement(database, Self.select)
        select.bind(namespace.rawValue)
        select.bind(query.after.rawValue)
        select.bind(query.after.partition.rawValues.upperBound)
        try select.forEachRow { row in
            guard bytesLeft > 0 else {
                slice.isLast = false
                return false
            }
            slice.through = Position(rawValue: row.integer(at: 0))
            try take(&row, database)
            if budget.spend() { return true }
            slice.isLast = false
            return false
        }
    }

    private mutating func take(_ row: inout StatementRow, _ database: Database) throws {
        guard isWanted(row), let machine = try machine(row.integer(at: 2), database),
            let name = row.optionalText(at: Self.columns.name)
        else { return }
        let isRetry = row.integer(at: Self.columns.isRetry) != 0
        let record = try JournalRecord(row: &row)
        bytesLeft -= record.size
        slice.rows.append(
            ListedRow(
                row: record, instance: InstanceName(rawValue: name), machine: machine.name,
                version: machine.version, isRetry: isRetry))
    }

    /// Whether the filter wants a row, its machine aside; reads no more of it than it must.
    private func isWanted(_ row: StatementRow) -> Bool {
        if query.filter.takesAllOfMachine { return true }
        return query.filter.takes(
            kind: row.text(at: 7), event: row.text(at: 8), from: row.text(at: 10), to: row.text(at: 11))
    }

    private mutating func machine(_ id: Int64, _ database: Database) throws -> MachineRecord? {
        if let known = machines[id] { return known }
        let found = try StoreQueries.machine(database, MachineID(rawValue: id))
        guard let found else { throw SQLiteFailure.malformed("a machine") }
        let wanted = query.filter.machine ?? found.name == found.name ? found : nil
        machines[id] = .some(wanted)
        return wanted
    }
}
