import GRDB
package import WorkflowStore

extension SQLiteFileStore {
    package func row(before position: Position) async throws(StoreError) -> JournalRecord? {
        try await readers.slice { database, _ in
            var select = try PreparedStatement(
                database,
                """
                SELECT \(JournalRecord.columns) FROM journal WHERE position < ? AND position >= ?
                ORDER BY position DESC LIMIT 1
                """)
            select.bind(position.rawValue)
            select.bind(position.partition.rawValues.lowerBound)
            return try select.first { row in try JournalRecord(row: &row) }
        }
    }

    package func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) async throws(StoreError) -> Seq? {
        if head < position { return headSeq }
        // A slice each: twice the number of snapshots' digits, then at most as many hops as snapshots are apart.
        return try await readers.slice { database, _ in
            var place = (seq: headSeq.rawValue, position: head)
            if let snapshot = try Self.snapshot(of: instance, upTo: headSeq, notBefore: position, database) {
                place = snapshot
            }
            while place.position >= position {
                var select = try PreparedStatement(
                    database, "SELECT previous FROM journal WHERE position = ? AND instance_id = ?")
                select.bind(place.position.rawValue)
                select.bind(instance.rawValue)
                let found = try select.first { row in try row.previous(of: place.position) }
                guard let previous = found else { throw SQLiteFailure.damage("a row of a history is missing") }
                guard let previous else { return nil }
                place = (place.seq - 1, previous)
            }
            return Seq(rawValue: place.seq)
        }
    }

    /// The earliest snapshot of an instance whose row is not before a position; found by halving, because snapshots are
    /// in the order of seqs, at every 256th.
    private static func snapshot(
        of instance: InstanceID, upTo headSeq: Seq, notBefore position: Position, _ database: Database
    ) throws -> (seq: Int64, position: Position)? {
        var low: Int64 = 1
        var high = headSeq.rawValue / SnapshotRecord.interval
        var found: (seq: Int64, position: Position)?
        while low <= high {
            let middle = (low + high) / 2
            var select = try PreparedStatement(
                database,
                "SELECT seq, position FROM snapshot WHERE instance_id = ? AND seq >= ? ORDER BY seq LIMIT 1")
            select.bind(instance.rawValue)
            select.bind(middle * SnapshotRecord.interval)
            let snapshot = try select.first { row in (seq: try row.ordinal(), position: try row.position()) }
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

extension Lineage {
    /// What a store's file says.
    static func read(_ database: Database, generation: Int64) throws -> Lineage {
        var restorations: [Restoration] = []
        var select = try PreparedStatement(
            database, "SELECT generation, parent, next_position, restored_ms FROM restoration ORDER BY generation")
        try select.forEachRow { row in
            restorations.append(try Restoration(row: &row))
            return true
        }
        return Lineage(restorations, generation: generation)
    }
}

extension Restoration {
    fileprivate init(row: inout StatementRow) throws {
        let generation = try row.integer(in: StoreRow.generations)
        // A parent is older, so a way along these ends.
        let parent = try row.integer(in: 0...generation - 1)
        self.init(generation: generation, parent: parent, next: try row.position(), restored: try row.time())
    }
}
