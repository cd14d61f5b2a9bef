import GRDB
package import WorkflowStore

extension SQLiteFileStore {
    package func row(before position: Position) async throws(StoreError) -> JournalRecord? {
        try await readers.slice { database, _ in
            try JournalRecord.first(
                database, "WHERE position < ? AND position >= ? ORDER BY position DESC LIMIT 1", position,
                position.partition.rawValues.lowerBound)
        }
    }

    package func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) async throws(StoreError) -> Seq? {
        if head < position { return headSeq }
        // One slice is enough: at most two lookups per binary digit of the number of snapshots, then at most one
        // interval of hops.
        return try await readers.slice { database, _ in
            var place = (seq: headSeq.rawValue, position: head)
            if let snapshot = try Self.snapshot(of: instance, upTo: headSeq, notBefore: position, database) {
                place = snapshot
            }
            while place.position >= position {
                let found = try database.first(
                    "SELECT previous FROM journal WHERE position = ? AND instance_id = ?", place.position, instance
                ) { row in try row.previous(of: place.position) }
                guard let previous = found else { throw SQLiteFailure.damage("a row of a history is missing") }
                guard let previous else { return nil }
                place = (place.seq - 1, previous)
            }
            return Seq(rawValue: place.seq)
        }
    }

    /// Returns the earliest snapshot of an instance whose row is not before a position. The search is binary, because
    /// snapshots are in the order of seqs, at every 256th.
    private static func snapshot(
        of instance: InstanceID, upTo headSeq: Seq, notBefore position: Position, _ database: Database
    ) throws -> (seq: Int64, position: Position)? {
        var low: Int64 = 1
        var high = headSeq.rawValue / SnapshotRecord.interval
        var found: (seq: Int64, position: Position)?
        while low <= high {
            let middle = (low + high) / 2
            let snapshot = try database.first(
                "SELECT seq, position FROM snapshot WHERE instance_id = ? AND seq >= ? ORDER BY seq LIMIT 1", instance,
                middle * SnapshotRecord.interval
            ) { row in (seq: try row.ordinal(), position: try row.position()) }
            guard let snapshot else {
                high = middle - 1
                continue
            }
            if snapshot.position >= position {
                found = snapshot
                high = middle - 1
            } else {
                low = snapshot.seq / SnapshotRecord.interval + 1
            }
        }
        return found
    }
}
