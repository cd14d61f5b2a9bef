import GRDB
import Statechart
package import WorkflowStore

extension SQLiteReading {
    package func inspectJournal(
        _ positions: ClosedRange<Int64>, of instances: ClosedRange<Int64>
    ) async throws(StoreError) -> InspectedJournal {
        let bytes = limits.pageBytes
        return try await readers.slice { database, budget in
            var reading = JournalInspection(positions: positions, instances: instances, bytesLeft: bytes)
            try reading.run(database, &budget)
            return reading.slice
        }
    }
}

extension SQLiteReading {
    package func inspectRows(_ positions: [Position]) async throws(StoreError) -> InspectedJournal {
        var rest = positions[...]
        var rows = InspectedJournal(through: .max)
        while !rest.isEmpty {
            let slice = try await readers.slice { [rest] database, budget in
                var rest = rest
                var reading = JournalInspection(
                    positions: .min ... .max, instances: .min ... .max, bytesLeft: .max)
                try reading.begin(database)
                while let position = rest.popFirst() {
                    try reading.read(position, database)
                    try reading.findCalls(behind: position, database)
                    if !budget.spend() { break }
                }
                return (rows: reading.slice, rest: rest)
            }
            rest = slice.rest
            rows.rows += slice.rows.rows
            rows.snapshots.merge(slice.rows.snapshots) { first, _ in first }
            rows.unreadable.merge(slice.rows.unreadable) { first, _ in first }
            rows.inconsistencies.merge(slice.rows.inconsistencies) { first, _ in first }
            rows.calls.merge(slice.rows.calls) { first, _ in first }
            rows.keys += slice.rows.keys
        }
        return rows
    }
}

/// One slice of the journal being read.
private struct JournalInspection {
    let positions: ClosedRange<Int64>
    let instances: ClosedRange<Int64>
    var bytesLeft: Int
    var slice: InspectedJournal
    private let places = JournalRecord.places
    /// The position below which keys of rows are forgotten.
    private var floor = Position(rawValue: .max)

    init(positions: ClosedRange<Int64>, instances: ClosedRange<Int64>, bytesLeft: Int) {
        self.positions = positions
        self.instances = instances
        self.bytesLeft = bytesLeft
        slice = InspectedJournal(through: positions.upperBound)
    }

    mutating func run(_ database: Database, _ budget: inout SliceBudget) throws {
        slice.isLast = true
        try begin(database)
        var last: Int64?
        try database.forEachRow(
            "SELECT \(JournalRecord.columns) FROM journal WHERE position BETWEEN ? AND ? ORDER BY position",
            positions.lowerBound, positions.upperBound
        ) { row in
            // Proof: the statement asks for positions of the partition, which have bounds.
            let position = row.integer(at: places.position)
            guard position >= positions.lowerBound, last.map({ position > $0 }) ?? true else {
                slice.disorder = Position(rawValue: position)
                return false
            }
            last = position
            slice.passed += 1
            // Proof: it is compared, and nothing counts with it.
            let instance = row.integer(at: places.instanceID)
            if instances.contains(instance) {
                try take(&row, database)
            } else if instance > instances.upperBound, slice.firstAbove == nil {
                slice.firstAbove = Position(rawValue: position)
            }
            if budget.spend(), bytesLeft > 0 { return true }
            slice.through = position
            slice.isLast = false
            return false
        }
        // Rows that are not read may have calls too.
        if slice.disorder == nil { try findCalls(database) }
    }

    /// Finds the effects in the range of the slice that no instance waits for. Effects of its last row may be in the
    /// next slice.
    private mutating func findCalls(_ database: Database) throws {
        guard try Table.effect.isThere(in: database) else { return }
        try database.forEachRow(
            "SELECT id, instance_id, number IS NULL FROM effect WHERE id BETWEEN ? AND ? ORDER BY id",
            positions.lowerBound, slice.through
        ) { row in
            // Proof: they are told as they stand, and nothing counts with them.
            let (id, instance) = (Position(rawValue: row.integer()), row.integer())
            if row.integer() == 1, instances.contains(instance) { slice.calls[id] = InstanceID(rawValue: instance) }
            return true
        }
    }

    /// Finds the effects of one row that no instance waits for. They follow the row, up to the first effect of another
    /// row.
    mutating func findCalls(behind position: Position, _ database: Database) throws {
        guard let last = slice.rows.last, last.position == position, try Table.effect.isThere(in: database) else {
            return
        }
        try database.forEachRow(
            "SELECT id, instance_id, seq, number IS NULL FROM effect WHERE id > ? ORDER BY id", position
        ) { row in
            // Proof: they are compared, and nothing counts with them.
            let (id, instance, seq) = (Position(rawValue: row.integer()), row.integer(), row.integer())
            guard instance == last.instanceID.rawValue, seq == last.seq.rawValue else { return false }
            if row.integer() == 1 { slice.calls[id] = last.instanceID }
            return true
        }
    }

    /// Reads the store's ledger of keys in this transaction.
    mutating func begin(_ database: Database) throws {
        if let row = try StoreRow.read(database) { floor = row.keys.floor }
    }

    mutating func read(_ position: Position, _ database: Database) throws {
        try database.forEachRow(
            "SELECT \(JournalRecord.columns) FROM journal WHERE position = ?", position
        ) { row in
            try take(&row, database)
            return false
        }
    }

    private mutating func take(_ row: inout StatementRow, _ database: Database) throws {
        // Proof: it is told as it stands, and nothing counts with it.
        let position = Position(rawValue: row.integer(at: places.position))
        let record: JournalRecord
        do {
            record = try JournalRecord(row: &row)
        } catch let failure as SQLiteFailure {
            // Proof: they are told as they stand, and nothing counts with them.
            slice.rows.append(.unreadable(position, row.integer(at: places.instanceID), row.integer(at: places.seq)))
            slice.unreadable[position] = failure.message
            return
        }
        slice.rows.append(record)
        bytesLeft -= record.size
        if let key = record.key, position >= floor { try look(for: RequestKey(bytes: key), of: record, database) }
        guard record.seq.rawValue & (SnapshotRecord.interval - 1) == 0 || record.kind == .redacted else { return }
        do {
            slice.snapshots[position] = try snapshot(of: record, database)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            slice.unreadable[position] = "its snapshot: \(failure.message)"
        }
    }

    private mutating func look(for key: RequestKey, of record: JournalRecord, _ database: Database) throws {
        slice.keys += 1
        guard let scope = try StoreQueries.scope(database, of: record) else { return }
        let found = try StoreQueries.position(database, of: key, in: scope)
        guard found != record.position else { return }
        slice.inconsistencies[record.position] =
            found.map { "its key is remembered for position \($0.rawValue)" } ?? "its key is not among those remembered"
    }

    private func snapshot(of record: JournalRecord, _ database: Database) throws -> SnapshotRecord? {
        try SnapshotRecord.first(database, "WHERE instance_id = ? AND seq = ?", record.instanceID, record.seq)
    }
}

extension JournalRecord {
    fileprivate static func unreadable(_ position: Position, _ instance: Int64, _ seq: Int64) -> JournalRecord {
        var record = columns.blank
        (record.position, record.instanceID, record.seq) = (
            position, InstanceID(rawValue: instance), Seq(rawValue: seq)
        )
        return record
    }
}
