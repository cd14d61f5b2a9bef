import GRDB
import Statechart
package import WorkflowStore

extension SQLiteFileStore {
    package func journal(_ query: JournalQuery, in namespace: NamespaceID) async throws(StoreError) -> JournalSlice {
        try await readers.slice { database, budget in
            var rows: [ListedRow] = []
            let reach = try JournalReading.run(query, in: namespace, database, &budget) { row, found in
                let name = InstanceName(rawValue: try row.text(at: JournalRecord.places.end))
                let listed = ListedRow(
                    row: try JournalRecord(row: &row), instance: name, machine: found.machine, version: found.version,
                    isRetry: found.isRetry)
                rows.append(listed)
                return listed.row.size
            }
            return JournalSlice(rows: rows, through: reach.through, isLast: reach.isLast)
        }
    }

    package func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) async throws(StoreError) -> (result: Result, reach: JournalReach) {
        try await readers.slice { database, budget in
            var result = result
            let reach = try JournalReading.run(query, in: namespace, database, &budget) { row, found in
                let listed = LentListedRow(
                    row: try LentRow(row: row, isRetry: found.isRetry),
                    instance: row.lent(at: JournalRecord.places.end), machine: found.machine, version: found.version)
                add(&result, listed)
                return listed.row.size
            }
            return (result, reach)
        }
    }
}

/// One slice of the journal in the order of positions.
private struct JournalReading {
    /// The facts about a row that are not in the row itself.
    struct Found {
        let machine: MachineName
        let version: MachineVersion
        let isRetry: Bool
    }

    private let query: JournalQuery
    private let places = JournalRecord.places
    /// The machine versions of the slice.
    private var machines: [Int64: Version] = [:]
    /// The machine version of the row before.
    private var last: Version?
    private var bytesLeft: Int
    private var reach: JournalReach

    private init(_ query: JournalQuery) {
        self.query = query
        bytesLeft = query.bytes
        reach = JournalReach(through: query.after, isLast: query.through == nil)
    }

    /// A machine version, with the name and number that a row is shown with.
    private struct Version {
        let id: Int64
        let machine: MachineName
        let version: MachineVersion
        let isWanted: Bool
    }

    /// Selects the columns of a row, and after them its instance's name.
    private static let select = """
        SELECT \(JournalRecord.columns), name
        FROM journal LEFT JOIN (
            SELECT id, name FROM instance WHERE namespace_id = ? AND status IS NOT 'purging') ON id = instance_id
        WHERE position > ? AND position <= ? ORDER BY position
        """

    /// Calls a function with each wanted row; the function returns the row's size.
    static func run(
        _ query: JournalQuery, in namespace: NamespaceID, _ database: Database, _ budget: inout SliceBudget,
        _ take: (inout StatementRow, Found) throws -> Int
    ) throws -> JournalReach {
        var reading = JournalReading(query)
        var isWhole = true
        try database.forEachRow(
            Self.select, namespace, query.after,
            query.through?.rawValue ?? query.after.partition.rawValues.upperBound
        ) { row in
            guard reading.bytesLeft > 0 else {
                isWhole = false
                return false
            }
            // Proof: the statement asks for positions of the partition, which have bounds.
            reading.reach.through = Position(rawValue: row.integer(at: reading.places.position))
            if let found = try reading.found(row, database) { reading.bytesLeft -= try take(&row, found) }
            isWhole = budget.spend()
            return isWhole
        }
        if !isWhole { reading.reach.isLast = false }
        if isWhole, let through = query.through { reading.reach.through = through }
        return reading.reach
    }

    /// Returns the facts about a row; `nil` if the row is not wanted.
    private mutating func found(_ row: StatementRow, _ database: Database) throws -> Found? {
        guard try isWanted(row) else { return nil }
        // Proof: the version is looked up by it, and nothing counts with it.
        let version = try version(row.integer(at: places.machineID), database)
        guard version.isWanted, !row.isNull(at: places.end) else { return nil }
        return Found(
            machine: version.machine, version: version.version, isRetry: try isRetry(row, database))
    }

    /// Returns true if a row records that an instance failed again: an actor caused the failure, or the row before is a
    /// failure too.
    private func isRetry(_ row: StatementRow, _ database: Database) throws -> Bool {
        guard row.lent(at: places.kind).elementsEqual(Self.failed) else { return false }
        if !row.isNull(at: places.actor) { return true }
        if row.isNull(at: places.previous) { return false }
        // Proof: a row is looked up by it, and nothing counts with it.
        let previous = row.integer(at: places.previous)
        let sql = "SELECT 1 FROM journal WHERE position = ? AND kind = 'failed'"
        return try database.first(sql, previous) { _ in true } ?? false
    }

    private static let failed = JournalKind.failed.rawValue.utf8

    /// Returns true if the filter accepts a row, apart from its machine. Reads no more of the row than necessary.
    private func isWanted(_ row: StatementRow) throws -> Bool {
        if query.filter.takesAllOfMachine { return true }
        return query.filter.takes(
            kind: try row.text(at: places.kind), event: try row.text(at: places.event),
            from: try row.text(at: places.from),
            to: try row.text(at: places.to))
    }

    private mutating func version(_ id: Int64, _ database: Database) throws -> Version {
        if let last, last.id == id { return last }
        let found = try machines[id] ?? read(id, database)
        machines[id] = found
        last = found
        return found
    }

    private func read(_ id: Int64, _ database: Database) throws -> Version {
        guard let found = try MachineRecord.first(database, "WHERE id = ?", id) else {
            throw SQLiteFailure.damage("the machine of a row is missing")
        }
        return Version(
            id: id, machine: found.name, version: found.version,
            isWanted: query.filter.takes(machine: found.name))
    }
}
