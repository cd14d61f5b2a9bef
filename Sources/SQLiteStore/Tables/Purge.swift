import GRDB
import WorkflowStore

extension PurgeRecord: TableRow {
    static let columns = Columns(
        of: "purge",
        blank: PurgeRecord(
            waits: false, head: Position(rawValue: 0), instanceID: InstanceID(rawValue: 0), seq: Seq(rawValue: 0),
            audit: Position(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("waits", row.waits) { $0.waits = try $1.flag() }
        try column("head", row.head) { $0.head = try $1.position() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("audit", row.audit) { $0.audit = try $1.position() }
    }
}

extension Table {
    /// The table of instances that are not yet fully deleted.
    static let purge = Table(
        "purge", key: ["waits", "head"], since: 3, rows: PurgeRecord.columns.select,
        end: { inspection in
            guard inspection.counts.isWhole, let inconsistency = inspection.counts.purges.inconsistency else { return }
            inspection.slice.inconsistencies.append(inconsistency)
        }
    ) { row, inspection in
        try inspection.counts.purges.inconsistency(
            of: &row, floor: inspection.store.purgeFloor, inspection.database)
    }
}

/// Compares the table `purge` with the deleted instances, in both directions, in bounded memory. Each deleted instance
/// adds the hash of its number to a sum; each row of `purge` subtracts a hash.
struct PurgeInspection: Sendable {
    /// The values that change with every batch that deletes an instance or removes rows.
    private struct Ground: Equatable {
        let nextPosition: Position
        let first: Int64
        let last: Int64
    }

    private var sum: UInt64 = 0
    private var ground: Ground?
    private var isWhole = true

    /// Notes the state of the store; called with each slice.
    mutating func see(_ nextPosition: Position, _ database: Database) throws {
        guard isWhole, try Table.audit.isThere(in: database) else { return }
        let now = Ground(
            nextPosition: nextPosition,
            first: try PreparedStatement.number(database, "SELECT min(head) FROM purge WHERE waits = 1"),
            last: try PreparedStatement.number(database, "SELECT max(head) FROM purge WHERE waits = 0"))
        if let ground, ground != now { isWhole = false }
        ground = now
    }

    mutating func add(_ instance: Int64) { sum &+= Self.hash(instance) }

    /// Returns the inconsistency of a row; `nil` if it is the last one left of a deleted instance.
    ///
    /// - Parameter floor: The position from which on every row exists, according to the store.
    mutating func inconsistency(
        of row: inout StatementRow, floor: Position, _ database: Database
    ) throws -> Inconsistency? {
        let left = try PurgeRecord(row: &row)
        sum &-= Self.hash(left.instanceID.rawValue)
        let found =
            try database.first(
                """
                SELECT
                    EXISTS (SELECT 1 FROM instance WHERE id = ?1 AND status = 'purging'),
                    EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND instance_id = ?1 AND seq = ?3),
                    EXISTS (SELECT 1 FROM audit WHERE position = ?4 AND instance_id = ?1 AND rows >= ?3),
                    EXISTS (SELECT 1 FROM journal WHERE position = ?2 AND length(salt) = 0),
                    EXISTS (SELECT 1 FROM instance WHERE id = ?1 AND salt = zeroblob(16)),
                    EXISTS (SELECT 1 FROM audit WHERE position = ?4 AND rows > ?3)
                """, left.instanceID, left.head, left.seq, left.audit
            ) { row in (0..<6).map { _ in row.integer() == 1 } } ?? Array(repeating: false, count: 6)
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: left.instanceID, seq: left.seq, position: left.head, what)
        }
        // Proof: there are six, as written above.
        if !found[0] { return wrong("something is left to delete of an instance that is not deleted") }
        if !found[1] { return wrong("the last row that is left of it is missing") }
        if !found[2] { return wrong("the table 'audit' does not say that it is deleted") }
        if left.waits, left.seq.rawValue != 1 || !found[3] { return wrong("its first row waits, and is not emptied") }
        // Emptying the first row clears the instance's salt, and the row waits from then on.
        if !left.waits, found[4] { return wrong("its first row is emptied, and does not wait") }
        let isFloorBelow = found[5] && floor.rawValue <= left.head.rawValue &+ 1
        return isFloorBelow ? wrong("the store says that rows are there which are deleted") : nil
    }

    /// The inconsistency of all rows together; `nil` if there is none, or if the store has changed meanwhile.
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
