import GRDB
import WorkflowStore

/// What is left to delete of an instance.
struct PurgeRecord: Sendable {
    /// Whether the row is its start, emptied, whose key is remembered.
    var waits: Bool
    /// The position of its last row.
    var head: Position
    var instanceID: InstanceID
    /// The seq of that row: so many rows are left.
    var seq: Seq
    /// The position of its deletion.
    var audit: Position
}

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
    /// What is left to delete of instances.
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
        guard isWhole, try Table.audit.isThere(in: database) else { return }
        let now = Ground(
            nextPosition: nextPosition,
            first: try PreparedStatement.number(database, "SELECT min(head) FROM purge WHERE waits = 1"),
            last: try PreparedStatement.number(database, "SELECT max(head) FROM purge WHERE waits = 0"))
        if let ground, ground != now { isWhole = false }
        ground = now
    }

    mutating func add(_ instance: Int64) { sum &+= Self.hash(instance) }

    /// What is wrong with a row; nil when it is the last one left of an instance that is deleted.
    ///
    /// - Parameter floor: Every row at or above is there, as the store says.
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
        // What is emptied for that waits from then on.
        if !left.waits, found[4] { return wrong("its first row is emptied, and does not wait") }
        let isFloorBelow = found[5] && floor.rawValue <= left.head.rawValue &+ 1
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
