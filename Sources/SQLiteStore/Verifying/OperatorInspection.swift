import GRDB
import Statechart
import WorkflowStore

/// The requests of operators, as far as one read finds them.
enum OperatorInspection {
    /// Adds the runs, and the positions of the last deletion, the last change and the last erasures.
    static func look(at inspection: inout StoreInspection, _ database: Database) throws {
        guard try Table.tally.isThere(in: database) else { return }
        try database.forEachRow("SELECT \(BulkRecord.columns) FROM bulk") { row in
            do {
                inspection.runs.append(try BulkRecord(row: &row))
            } catch let failure as SQLiteFailure {
                inspection.inconsistencies.append(Inconsistency("a run cannot be read: \(failure.message)"))
            }
            return true
        }
        inspection.lastDeletion = try AuditQueries.lastPosition(database)
        inspection.lastChange = try ChangeQueries.lastPosition(database)
        func last(_ condition: String) throws -> Position? {
            let id = try PreparedStatement.number(database, "SELECT max(id) FROM erasure \(condition)")
            return id > 0 ? Position(rawValue: id) : nil
        }
        inspection.lastErasure = try last("")
        inspection.lastRenaming = try last("WHERE name IS NOT NULL")
    }
}

/// The erasures of a range of instances.
extension ErasureInspection {
    /// Returns some of the erasures of a range of instances.
    static func slice(
        of instances: ClosedRange<Int64>, after id: Int64?, _ budget: inout SliceBudget, _ database: Database
    ) throws -> InspectedErasures {
        var slice = InspectedErasures()
        guard try ErasureQueries.isThere(in: database) else { return slice }
        try database.forEachRow(
            "SELECT \(ErasureRecord.columns) FROM erasure WHERE id > ? ORDER BY id", id ?? .min
        ) { row in
            // Proof: they are told as they stand, and nothing counts with them.
            let (id, instance) = (row.integer(at: 0), row.integer(at: 1))
            if instances.contains(instance) {
                do {
                    slice.erasures.append(try ErasureRecord(row: &row))
                } catch let failure as SQLiteFailure {
                    slice.inconsistencies.append(
                        Inconsistency(
                            instance: InstanceID(rawValue: instance), position: Position(rawValue: id),
                            "an erasure cannot be read: \(failure.message)"))
                }
            }
            if budget.spend() { return true }
            slice.next = id
            return false
        }
        return slice
    }
}
