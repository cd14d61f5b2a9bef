package import WorkflowStore

/// The time, actor and reason of an instance's suspension.
package struct InstanceSuspension: Sendable, Equatable {
    /// The time of the row that suspended the instance.
    package let at: Timestamp
    /// The actor who suspended the instance; `nil` if none is known.
    package let actor: Actor?
    /// The reason that was given; `nil` if there is none or it was erased.
    package let reason: String?

    /// - Parameter updated: The time of the instance's last change: a clock that was ahead may have been corrected
    ///   since.
    init(_ row: JournalRecord, notAfter updated: Timestamp) {
        at = min(row.at, updated)
        actor = row.actor
        reason = RowNote(row.note).reason
    }
}

extension Engine {
    /// Returns the suspensions of those instances that are suspended.
    ///
    /// Reads one row for each instance, many at once, and a bounded number of rows if operators have changed the
    /// instance since. An instance that needs more rows is left out.
    package func suspensions(
        of views: [InstanceView], by caller: Caller
    ) async throws(Rejection) -> [InstanceID: InstanceSuspension] {
        let records = views.map(\.record).filter { $0.status == .suspended }
        if records.isEmpty { return [:] }
        let rowsOfEach = min(limits.rowsOfSuspension, max(1, limits.rowsOfSuspensions / records.count))
        for record in records { try refuse(record, to: caller) }
        let rows = try await suspendingRows(of: records, within: rowsOfEach)
        let updated = Dictionary(records.map { ($0.id, $0.updated) }, uniquingKeysWith: { one, _ in one })
        return rows.reduce(into: [:]) { found, row in
            found[row.key] = InstanceSuspension(row.value, notAfter: updated[row.key] ?? row.value.at)
        }
    }

    /// Returns those suspended instances that their machine suspended.
    func suspendedByMachine(_ records: [InstanceRecord]) async throws(Rejection) -> [InstanceRecord] {
        let rows = try await suspendingRows(of: records, within: limits.rowsOfSuspension)
        return records.filter { rows[$0.id]?.isSuspensionByMachine == true }
    }

    /// Returns the rows that suspended the instances. An instance is left out if its row is not among its last rows, or
    /// if it was deleted meanwhile. Reads the last rows of many instances at once.
    private func suspendingRows(
        of records: [InstanceRecord], within rows: Int
    ) async throws(Rejection) -> [InstanceID: JournalRecord] {
        var found: [InstanceID: JournalRecord] = [:]
        for first in stride(from: 0, to: records.count, by: limits.suspensionsAtOnce) {
            let group = records[first..<min(first + limits.suspensionsAtOnce, records.count)]
            var searches = Dictionary(group.map { ($0.id, SuspensionSearch()) }, uniquingKeysWith: { one, _ in one })
            var places = group.map(\.head)
            for _ in 0..<rows where !places.isEmpty {
                let wanted = places
                places = []
                let last = try await read { () async throws(StoreError) in try await store.rows(at: wanted) }
                for row in last {
                    // If the instance was deleted meanwhile, the row may be another instance's.
                    guard var search = searches.removeValue(forKey: row.instanceID) else { continue }
                    search.take(row)
                    if !search.isOver, let previous = row.previous {
                        places.append(previous)
                        searches[row.instanceID] = search
                    } else {
                        found[row.instanceID] = search.row
                    }
                }
            }
        }
        return found
    }
}

extension EngineLimits {
    /// The number of instances whose last rows are read at once: a row may contain a whole context.
    fileprivate var suspensionsAtOnce: Int { 16 }
}
