import Statechart
import WorkflowStore

/// Compares the store's totals with the rows, after all rows were read.
struct StoreTotals {
    /// The state of the store before the first row was read.
    private let begin: StoreInspection
    private var sums: [JournalSums]
    private var runs: RunChecks
    /// The last row of all, and the position behind the row and its effects; `nil` if it is not known.
    private var last: (row: Position, behind: Position?)?

    init(_ inspection: StoreInspection) {
        begin = inspection
        sums = inspection.sums
        runs = RunChecks(inspection)
    }

    /// The position from which rows were written later; `nil` if there are several partitions.
    var end: Position? { begin.numbers.count == 1 ? begin.numbers.first?.nextPosition : nil }

    /// Takes rows of the journal, in any order, each once.
    mutating func take(_ rows: [JournalRecord]) {
        guard let partition = rows.first?.position.partition else { return }
        for place in sums.indices where sums[place].partition == partition { sums[place].take(rows) }
        runs.take(rows)
    }

    /// Takes the last row of some instances.
    mutating func take(last other: (row: Position, behind: Position?)?) {
        guard let other, other.row > last?.row ?? Position(rawValue: 0) else { return }
        last = other
    }

    /// Returns the inconsistencies.
    func inconsistencies(
        _ store: any StoreReader, _ audit: any StoreAudit, _ limits: EngineLimits
    ) async throws(StoreError) -> [Inconsistency] {
        var found = sums.flatMap { $0.inconsistencies(keyAhead: limits.keyAheadMilliseconds) }
        let now = try await audit.inspectStore()
        if let inconsistency = nextInconsistency(now) { found.append(inconsistency) }
        found += runs.inconsistencies(now)
        // The names of a run in several partitions are kept in another order.
        for (run, count, digest) in runs.naming where begin.numbers.count == 1 {
            if let inconsistency = try await names(of: run, count, digest, store, audit) { found.append(inconsistency) }
        }
        return found
    }

    /// Checks the store's next position: between the last row and this position are only the effects that the row
    /// began.
    ///
    /// - Parameter now: The state of the store at the end, when rows may have been deleted.
    private func nextInconsistency(_ now: StoreInspection) -> Inconsistency? {
        guard let next = end, let last, now.lastDeletion == begin.lastDeletion else { return nil }
        // Deletions and recorded changes have positions of their own.
        let recorded = [begin.lastDeletion, begin.lastChange].compactMap(\.self).max()
        let end = recorded.flatMap { $0 > last.row ? $0.next : nil } ?? last.behind
        guard let end, end != next else { return nil }
        return Inconsistency(
            "the store's next position is \(next.rawValue), but behind its last row comes \(end.rawValue)")
    }

    /// Checks that a run has the names that it was given, unless an instance was renamed since.
    private func names(
        of run: BulkRecord, _ count: Int, _ digest: Digest, _ store: any StoreReader, _ audit: any StoreAudit
    ) async throws(StoreError) -> Inconsistency? {
        var names: [InstanceName] = []
        while true {
            let page = try await store.bulkNames(of: run.key, from: Int64(names.count))
            names += page
            if page.isEmpty || names.count > count { break }
        }
        guard names.count != count || BulkRequest.digest(of: names) != digest else { return nil }
        let renaming = try await audit.inspectStore().lastRenaming
        // The run may have been forgotten meanwhile.
        let isThere = try await store.bulkRun(run.key)?.floor == run.floor
        // The renaming row may be the first since the run began.
        guard isThere, names.count != count || renaming.map({ $0 < run.floor }) ?? true else { return nil }
        return Inconsistency("the run '\(run.key.name)': it was given other names than are kept for it")
    }
}
