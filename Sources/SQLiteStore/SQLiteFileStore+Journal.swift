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
    /// The machine versions of the slice.
    private var machines: [Int64: Version] = [:]
    /// That of the row before.
    private var last: Version?
    var slice: JournalSlice

    init(_ query: JournalQuery, in namespace: NamespaceID) {
        self.query = query
        self.namespace = namespace
        bytesLeft = query.bytes
        slice = JournalSlice(through: query.after, isLast: true)
    }

    /// A machine version, as rows tell it.
    private struct Version {
        let id: Int64
        let machine: MachineName
        let version: MachineVersion
        let isWanted: Bool
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
        guard isWanted(row) else { return }
        let version = try version(row.integer(at: 2), database)
        guard version.isWanted, let name = row.optionalText(at: Self.columns.name) else { return }
        let isRetry = row.integer(at: Self.columns.isRetry) != 0
        slice.rows.append(
            ListedRow(
                row: try JournalRecord(row: &row), instance: InstanceName(rawValue: name), machine: version.machine,
                version: version.version, isRetry: isRetry))
        bytesLeft -= slice.rows[slice.rows.endIndex - 1].row.size
    }

    /// Whether the filter wants a row, its machine aside; reads no more of it than it must.
    private func isWanted(_ row: StatementRow) -> Bool {
        if query.filter.takesAllOfMachine { return true }
        return query.filter.takes(
            kind: row.text(at: 7), event: row.text(at: 8), from: row.text(at: 10), to: row.text(at: 11))
    }

    private mutating func version(_ id: Int64, _ database: Database) throws -> Version {
        if let last, last.id == id { return last }
        let found = try machines[id] ?? read(id, database)
        machines[id] = found
        last = found
        return found
    }

    private func read(_ id: Int64, _ database: Database) throws -> Version {
        guard let found = try StoreQueries.machine(database, MachineID(rawValue: id)) else {
            throw SQLiteFailure.malformed("a machine")
        }
        return Version(
            id: id, machine: found.name, version: found.version,
            isWanted: query.filter.machine ?? found.name == found.name)
    }
}
