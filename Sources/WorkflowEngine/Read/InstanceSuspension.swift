package import WorkflowStore

/// Since when an instance is suspended, by whom, and why.
package struct InstanceSuspension: Sendable, Equatable {
    /// The time of the row that suspended it.
    package let at: Timestamp
    /// The one who did it; nil where nobody is known.
    package let actor: Actor?
    /// The reason that was given; nil for none, and when it was erased.
    package let reason: String?

    init(_ row: JournalRecord) {
        at = row.at
        actor = row.actor
        reason = RowNote(row.note).reason
    }
}

extension Engine {
    /// Since when, by whom and why those of some instances are suspended that are.
    ///
    /// Reads a row for each, and a bounded number where operators have done something with it since. An instance of
    /// which that is not enough is left out.
    package func suspensions(
        of views: [InstanceView], by caller: Caller
    ) async throws(Rejection) -> [InstanceID: InstanceSuspension] {
        let records = views.map(\.record).filter { $0.status == .suspended }
        if records.isEmpty { return [:] }
        let rowsOfEach = min(limits.rowsOfSuspension, max(1, limits.rowsOfSuspensions / records.count))
        var found: [InstanceID: InstanceSuspension] = [:]
        for record in records {
            try refuse(record, to: caller)
            found[record.id] = try await suspendingRow(of: record, within: rowsOfEach).map(InstanceSuspension.init)
        }
        return found
    }

    /// Those of some suspended instances that were suspended by their machine.
    func suspendedByMachine(_ records: [InstanceRecord]) async throws(Rejection) -> [InstanceRecord] {
        var found: [InstanceRecord] = []
        for record in records {
            let row = try await suspendingRow(of: record, within: limits.rowsOfSuspension)
            if row?.isSuspensionByMachine == true { found.append(record) }
        }
        return found
    }

    /// The row since which a suspended instance is so; nil where it is not among its last rows.
    private func suspendingRow(
        of record: InstanceRecord, within rows: Int
    ) async throws(Rejection) -> JournalRecord? {
        var search = SuspensionSearch()
        var place: Position? = record.head
        for _ in 0..<rows {
            guard !search.isOver, let position = place else { return search.row }
            let row = try await read { () async throws(StoreError) in try await store.row(at: position) }
            // Deleted meanwhile.
            guard let row, row.instanceID == record.id else { return nil }
            search.take(row)
            place = row.previous
        }
        return search.isOver || place == nil ? search.row : nil
    }
}
