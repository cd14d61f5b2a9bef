import GRDB
import WorkflowStore

extension Table {
    /// The table of the numbers of instances per state.
    static let tally = Table(
        "tally", key: ["machine_id", "status", "state"], since: 3,
        rows: "SELECT machine_id, status, state, n FROM tally",
        end: { $0.slice.miscount = $0.counts.isWhole ? $0.counts.tally.inconsistency : nil }
    ) { row, inspection in
        try inspection.counts.tally.subtract(&row)
        return nil
    }
}

/// Compares the tally with the instances, in bounded memory. Each instance adds the hash of its state to a sum; each
/// count subtracts as many hashes.
struct TallyInspection: Sendable {
    private var sum: UInt64 = 0

    mutating func add(_ row: inout StatementRow) throws { sum &+= try Self.hash(&row) }

    mutating func subtract(_ row: inout StatementRow) throws {
        let hash = try Self.hash(&row)
        sum &-= hash &* UInt64(bitPattern: try row.count())
    }

    /// The inconsistency of the tally; `nil` if there is none.
    var inconsistency: Inconsistency? {
        sum != 0
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
