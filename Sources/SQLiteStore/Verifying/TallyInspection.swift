import GRDB
import WorkflowStore

/// Compares the tally with the instances, in bounded memory: each instance adds the hash of where it is to a sum, and
/// each count takes as many hashes away.
struct TallyInspection: Sendable {
    private var sum: UInt64 = 0
    /// Where the store stood when the counting began: with another place at its end the sum says nothing.
    private var ground: Position?
    private var isWhole = true

    /// Whether the schema has a tally: a file that is only read may be of an earlier one.
    static func isThere(in database: Database) throws -> Bool {
        try PreparedStatement.number(database, "PRAGMA user_version") >= 3
    }

    /// To be called with each slice.
    mutating func see(_ nextPosition: Position) {
        if let ground, ground != nextPosition { isWhole = false }
        ground = nextPosition
    }

    /// Something could not be counted.
    mutating func leaveOut() { isWhole = false }

    mutating func add(_ row: inout StatementRow) throws { sum &+= try Self.hash(&row) }

    mutating func subtract(_ row: inout StatementRow) throws {
        let hash = try Self.hash(&row)
        sum &-= hash &* UInt64(bitPattern: try row.count())
    }

    /// What is wrong with the tally; nil when nothing is, and when nobody can tell.
    var inconsistency: Inconsistency? {
        isWhole && sum != 0
            ? Inconsistency("the table 'tally' does not say how many instances are in which state") : nil
    }

    private static func hash(_ row: inout StatementRow) throws -> UInt64 {
        var hasher = Hasher()
        // Proof: a hash takes every number.
        hasher.combine(row.integer())
        hasher.combine(try row.text())
        hasher.combine(try row.text())
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
