import Statechart
package import WorkflowStore

// Reads of the journal as it grows.

extension Engine {
    /// Returns the next rows of the journal, of all instances that the caller sees.
    package func journal(_ query: JournalQuery, by caller: Caller) async throws(Rejection) -> JournalSlice {
        try await read { () async throws(StoreError) in try await store.journal(query, in: caller.namespace) }
    }

    /// Lends the next rows of the journal, one by one, to a function that adds them to a result. Also returns how far
    /// the rows reach.
    package func journal<Result: Sendable>(
        _ query: JournalQuery, by caller: Caller, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) async throws(Rejection) -> (result: Result, reach: JournalReach) {
        try await read { () async throws(StoreError) in
            try await store.journal(query, in: caller.namespace, into: result, add)
        }
    }

    /// Returns an instance by its id; `nil` if it was deleted, or the caller does not see it.
    package func instance(_ id: InstanceID, by caller: Caller) async throws(Rejection) -> InstanceRecord? {
        let record = try await read { () async throws(StoreError) in try await store.instance(id) }
        guard let record, record.namespace == caller.namespace, record.status != .purging else { return nil }
        return record
    }

    /// Returns a bell that rings after each commit that wrote a row; `nil` if too many callers wait already.
    package func journalBell() -> Bell? { feed.journalBell() }

    /// Returns a bell that rings after each commit that changed an instance; `nil` if too many callers wait already.
    package func bell(of record: InstanceRecord, by caller: Caller) throws(Rejection) -> Bell? {
        try refuse(record, to: caller)
        return feed.bell(of: record.id)
    }

    /// Returns the next rows of one instance behind a seq, and the seq up to which they reach.
    ///
    /// - Parameters:
    ///   - record: The instance as of now, whose last row is the last that is returned.
    ///   - limit: The number of rows to read.
    package func journal(
        of record: InstanceRecord, after seq: Seq, _ filter: JournalFilter, limit: Int64, by caller: Caller
    ) async throws(Rejection) -> (slice: JournalSlice, seq: Seq) {
        guard seq < record.seq else { return (JournalSlice(through: record.head, isLast: true), seq) }
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq,
            seqs: seq.rawValue + 1...min(record.seq.rawValue, seq.rawValue + limit), isReversed: false)
        let rows = try await history(query, of: record, by: caller)
        guard let last = rows.last else { throw .inconsistent("the history has no row at seq \(seq.rawValue + 1)") }
        var slice = JournalSlice(through: last.position, isLast: last.seq == record.seq)
        for (offset, row) in rows.enumerated()
        where filter.takes(kind: row.kind.rawValue, event: row.event, from: row.from, to: row.to) {
            let machine = try await loadedMachine(row.machineID).record
            let before = offset > 0 ? rows[offset - 1] : nil
            slice.rows.append(
                ListedRow(
                    row: row, instance: record.name, machine: machine.name, version: machine.version,
                    isRetry: try await isRetry(row, of: record, behind: before, by: caller)))
        }
        return (slice, last.seq)
    }

    /// Returns true if a row records that a retry failed: its instance had failed before.
    ///
    /// - Parameter before: The instance's row before `row`, if it was read already.
    package func isRetry(
        _ row: JournalRecord, of record: InstanceRecord, behind before: JournalRecord?, by caller: Caller
    ) async throws(Rejection) -> Bool {
        guard row.kind == .failed, let position = row.previous else { return false }
        // A first failure has no actor.
        if row.actor != nil { return true }
        if let before { return before.kind == .failed }
        return try await self.row(at: position, of: record, by: caller)?.kind == .failed
    }

    /// Returns the position of the last row of a partition's journal; the beginning of the journal if there is none.
    package func lastPosition(in partition: PartitionID, by caller: Caller) async throws(Rejection) -> Position {
        if let newest = feed.newest(in: partition) { return newest }
        return try await lastOnDisk(in: partition)
    }

    /// Returns the place behind the last rows of all partitions.
    package func lastPlace(by caller: Caller) async throws(Rejection) -> JournalPlace {
        var positions: [Position] = []
        for partition in store.partitions { positions.append(try await lastPosition(in: partition, by: caller)) }
        return JournalPlace(positions)
    }

    /// Returns true if the journal has reached a position: a row is there, or may have been and was deleted.
    package func hasReached(_ position: Position, by caller: Caller) async throws(Rejection) -> Bool {
        let partition = position.partition
        if let newest = feed.newest(in: partition), position <= newest { return true }
        // A row on disk may not have been reported by the feed yet.
        if try await position <= lastOnDisk(in: partition) { return true }
        let deleted = try await read { () async throws(StoreError) in
            let before = placement.hasOne ? nil : Position(rawValue: partition.rawValues.upperBound)
            return try await store.audits(AuditQuery(kind: .deletion, before: before, limit: 1), in: caller.namespace)
        }
        return deleted.entries.first.map { position < $0.position && $0.position.partition == partition } ?? false
    }

    /// Returns the place after which the rows of all partitions come that were recorded at a time or later.
    package func place(recordedBefore time: Timestamp, by caller: Caller) async throws(Rejection) -> JournalPlace {
        var positions: [Position] = []
        for partition in store.partitions {
            positions.append(try await position(recordedBefore: time, in: partition, by: caller))
        }
        return JournalPlace(positions)
    }

    /// Returns the position in a partition after which the rows come that were recorded at a time or later. Reads few
    /// rows, because times increase with positions. If the clock was set back, several positions match, and the result
    /// is one of them.
    package func position(
        recordedBefore time: Timestamp, in partition: PartitionID, by caller: Caller
    ) async throws(Rejection) -> Position {
        var low = Position.beginning(of: partition).rawValue
        var high = try await lastPosition(in: partition, by: caller).rawValue
        while low < high {
            let middle = low + (high - low + 1) / 2
            let row = try await read { () async throws(StoreError) in
                try await store.row(before: Position(rawValue: middle).next)
            }
            if let row, row.position.rawValue > low, row.recorded >= time {
                high = row.position.rawValue - 1
            } else {
                low = middle
            }
        }
        return try await position(recordedBefore: time, near: Position(rawValue: low), by: caller)
    }

    /// Corrects a position by the rows shortly before it, because the times of neighbouring commits may overlap.
    private func position(
        recordedBefore time: Timestamp, near place: Position, by caller: Caller
    ) async throws(Rejection) -> Position {
        let first = Position.beginning(of: place.partition).rawValue
        var after = Position(rawValue: max(first, place.rawValue - limits.unorderedPositions))
        while after < place {
            let slice = try await journal(
                JournalQuery(after: after, through: place, bytes: limits.unorderedBytes), by: caller)
            if let row = slice.rows.first(where: { $0.row.recorded >= time })?.row {
                return Position(rawValue: row.position.rawValue - 1)
            }
            guard slice.through > after else { break }
            after = slice.through
        }
        return place
    }

    private func lastOnDisk(in partition: PartitionID) async throws(Rejection) -> Position {
        let last = try await read { () async throws(StoreError) in
            try await store.row(before: Position(rawValue: partition.rawValues.upperBound))
        }
        return last?.position ?? .beginning(of: partition)
    }
}

extension JournalRecord {
    /// The clock's time when the row was written.
    fileprivate var recorded: Timestamp { real ?? at }
}

extension EngineLimits {
    /// The number of positions within which times may be out of order.
    fileprivate var unorderedPositions: Int64 { 1_000 }
    fileprivate var unorderedBytes: Int { 1 << 20 }
}
