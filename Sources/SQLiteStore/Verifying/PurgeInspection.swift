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
    ///
    /// - Parameter floor: Every row at or above is there, as the store says.
    mutating func inconsistency(
        of row: inout StatementRow, floor: Position, _ database: Database
    ) throws -> Inconsistency? {
        let (waits, head) = (try row.flag(), try row.ordinal())
        let (instance, seq, audit) = (try row.ordinal(), try row.ordinal(), try row.ordinal())
        sum &-= Self.hash(instance)
        var select = try PreparedStatement(
            database,
            """
            SELECT
                EXISTS (SELECT 1 FROM instance WHERE id = ?1 AND status = 'purging'),
                EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND instance_id = ?1 AND seq = ?3),
                EXISTS (SELECT 1 FROM audit WHERE position = ?4 AND instance_id = ?1 AND rows >= ?3),
                EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND length(salt) = 0),
                EXISTS (SELECT 1 FROM instance WHERE id = ?1 AND salt = zeroblob(16)),
                EXISTS (SELECT 1 FROM audit WHERE position = ?4 AND rows > ?3)
            """)
        select.bind(instance)
        select.bind(head)
        select.bind(seq)
        select.bind(audit)
        let found =
            try select.first { row in (0..<6).map { _ in row.integer() == 1 } } ?? Array(repeating: false, count: 6)
        let id = InstanceID(rawValue: instance)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: id, seq: Seq(rawValue: seq), position: Position(rawValue: head), what)
        }
        // Proof: there are six, as written above.
        if !found[0] { return wrong("something is left to delete of an instance that is not deleted") }
        if !found[1] { return wrong("the last row that is left of it is missing") }
        if !found[2] { return wrong("the table 'audit' does not say that it is deleted") }
        if waits, seq != 1 || !found[3] { return wrong("its first row waits, and is not emptied") }
        // What is emptied for that waits from then on.
        if !waits, found[4] { return wrong("its first row is emptied, and does not wait") }
        let isFloorBelow = found[5] && floor.rawValue <= head &+ 1
        return isFloorBelow ? wrong("the store says that rows are there which are deleted") : nil
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
