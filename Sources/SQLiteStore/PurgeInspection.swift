import GRDB
import WorkflowStore

/// Compares what is left to delete with the instances that are deleted, both ways, in bounded memory: each such
/// instance adds the hash of its number to a sum, and each row of what is left takes one away.
struct PurgeInspection: Sendable {
    /// What every batch changes that deletes anything, or takes anything away.
    private struct Ground: Equatable {
        let nextPosition: Position
        let first: Int64
        let last: Int64
    }

    private var sum: UInt64 = 0
    private var ground: Ground?
    private var isWhole = true

    /// To be called with each slice.
    mutating func see(_ nextPosition: Position, _ database: Database) throws {
        guard isWhole, try AuditQueries.isThere(in: database) else { return }
        let now = Ground(
            nextPosition: nextPosition,
            first: try PreparedStatement.number(database, "SELECT min(head) FROM purge WHERE waits = 1"),
            last: try PreparedStatement.number(database, "SELECT max(head) FROM purge WHERE waits = 0"))
        if let ground, ground != now { isWhole = false }
        ground = now
    }

    /// Something could not be compared.
    mutating func leaveOut() { isWhole = false }

    mutating func add(_ instance: Int64) { sum &+= Self.hash(instance) }

    /// What is wrong with a row; nil when it is the last one left of an instance that is deleted.
    mutating func inconsistency(of row: inout StatementRow, _ database: Database) throws -> Inconsistency? {
        let (waits, head) = (row.integer() == 1, row.integer())
        let (instance, seq, audit) = (row.integer(), row.integer(), row.integer())
        sum &-= Self.hash(instance)
        var select = try PreparedStatement(
            database,
            """
            SELECT
                EXISTS (SELECT 1 FROM instance WHERE id = ?1 AND status = 'purging'),
                EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND instance_id = ?1 AND seq = ?3),
                EXISTS (SELECT 1 FROM audit WHERE position = ?4 AND instance_id = ?1 AND rows >= ?3),
                EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND length(salt) = 0)
            """)
        select.bind(instance)
        select.bind(head)
        select.bind(seq)
        select.bind(audit)
        let found: [Bool] =
            try select.first { row in
                [row.integer() == 1, row.integer() == 1, row.integer() == 1, row.integer() == 1]
            } ?? [false, false, false, false]
        let id = InstanceID(rawValue: instance)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: id, seq: Seq(rawValue: seq), position: Position(rawValue: head), what)
        }
        if !found[0] { return wrong("something is left to delete of an instance that is not deleted") }
        if !found[1] { return wrong("the last row that is left of it is missing") }
        if !found[2] { return wrong("the table 'audit' does not say that it is deleted") }
        return waits && !(seq == 1 && found[3]) ? wrong("its first row waits, and is not emptied") : nil
    }

    /// What is wrong with all of them together; nil when nothing is, and when nobody can tell.
    var inconsistency: Inconsistency? {
        isWhole && sum != 0
            ? Inconsistency("the table 'purge' does not have the instances that are deleted") : nil
    }

    private static func hash(_ instance: Int64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(instance)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
