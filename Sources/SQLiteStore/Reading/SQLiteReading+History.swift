import GRDB
import GRDBSQLite
package import WorkflowStore

extension SQLiteReading {
    package func history(_ query: HistoryQuery) async throws(StoreError) -> [JournalRecord] {
        guard var walk = HistoryWalk(query, limits: limits) else { return [] }
        while !walk.isDone {
            // Every slice sees a later state of the file; the rows before `head` are the same in all of them.
            walk = try await readers.slice { [walk] database, budget in
                var walk = walk
                try walk.step(database, &budget)
                return walk
            }
        }
        return query.isReversed ? walk.rows : walk.rows.reversed()
    }
}

/// The walk along `previous` from a known row down to the rows of a page.
struct HistoryWalk: Sendable {
    /// The seqs of the page.
    private let seqs: ClosedRange<Int64>
    private let instance: InstanceID
    private let headSeq: Seq
    /// The row to read next; `nil` before the walk begins.
    private var next: (seq: Int64, position: Position)?
    private let head: Position
    private(set) var isDone = false
    private let isReversed: Bool
    private var bytesLeft: Int

    /// The rows so far, newest first.
    private(set) var rows: [JournalRecord] = []

    /// Returns `nil` if no seq of the query exists. A query beyond the limits gets the first rows in its order, at
    /// least one.
    init?(_ query: HistoryQuery, limits: StoreLimits) {
        let limit = Int64(limits.historyRows)
        var bottom = max(1, query.seqs.lowerBound)
        var top = min(query.headSeq.rawValue, query.seqs.upperBound)
        guard bottom <= top else { return nil }
        if query.isReversed { bottom = max(bottom, top - limit + 1) } else { top = min(top, bottom + limit - 1) }
        seqs = bottom...top
        instance = query.instance
        head = query.head
        headSeq = query.headSeq
        isReversed = query.isReversed
        bytesLeft = limits.pageBytes
    }

    /// Continues until the page is complete or the budget is used up.
    mutating func step(_ database: Database, _ budget: inout SliceBudget) throws {
        guard try StoreQueries.instanceKey(database, instance) != nil else {
            // The instance was deleted meanwhile.
            rows = []
            isDone = true
            return
        }
        if next == nil { next = try start(database) }
        while let (seq, position) = next {
            let previous = try seq > seqs.upperBound ? hop(database, seq, position) : take(database, seq, position)
            guard seq > seqs.lowerBound, !isReversed || bytesLeft > 0 else { break }
            guard let previous else { throw Self.broken(seq - 1) }
            next = (seq - 1, previous)
            if !budget.spend() { return }
        }
        isDone = true
    }

    /// Returns the nearest known row at or above the page: a snapshot has the position of its row. Snapshots are at
    /// most 256 rows apart, and so is the walk to the page.
    private func start(_ database: Database) throws -> (Int64, Position) {
        return try database.first(
            "SELECT seq, position FROM snapshot WHERE instance_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT 1",
            instance, seqs.upperBound, headSeq
        ) { row in (try row.ordinal(), try row.position()) }
            ?? (headSeq.rawValue, head)
    }

    /// Passes a row above the page. Returns the position of the row before.
    private func hop(_ database: Database, _ seq: Int64, _ position: Position) throws -> Position? {
        let row = try database.first(
            "SELECT previous FROM journal WHERE position = ? AND instance_id = ? AND seq = ?", position, instance, seq
        ) { row in try row.previous(of: position) }
        guard let row else { throw Self.broken(seq) }
        return row
    }

    private mutating func take(_ database: Database, _ seq: Int64, _ position: Position) throws -> Position? {
        guard
            let row = try JournalRecord.first(
                database, "WHERE position = ? AND instance_id = ? AND seq = ?", position, instance, seq)
        else { throw Self.broken(seq) }
        rows.append(row)
        bytesLeft -= row.size
        // A page that begins with the oldest row drops its newest rows.
        while !isReversed, bytesLeft < 0, rows.count > 1 { bytesLeft += rows.removeFirst().size }
        return row.previous
    }

    private static func broken(_ seq: Int64) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CORRUPT, message: "the history has no row at seq \(seq)")
    }
}

extension JournalRecord {
    /// The approximate size in bytes: the data of callers, and a constant for the rest.
    var size: Int { Self.size(ofData: data?.utf8.count) }

    /// Returns the size of a row in bytes.
    ///
    /// - Parameter count: The number of bytes of the row's data; `nil` if the row has no data.
    static func size(ofData count: Int?) -> Int { 256 + (count ?? 0) }
}
