import Statechart
import WorkflowJSON
import WorkflowStore

/// The numbers of a partition when a run began: instances with higher numbers are not selected.
struct RunBegin: Sendable {
    /// The first position without a row.
    let floor: Position
    /// The first id without an instance.
    let instances: InstanceID

    init(_ numbers: StoreNumbers) {
        floor = numbers.nextPosition
        instances = numbers.nextInstance
    }
}

extension Engine {
    /// The relation of an instance to a run that selects it now.
    enum Meeting: Sendable {
        /// The instance was selected when the run began, and has not left its version.
        case selected
        /// The instance was selected and has changed its version since, so it may have had its turn.
        case crossed([BulkStay])
        /// The instance was not selected.
        case foreign
    }

    /// Finds out if a filter that takes an instance now also took it when a run began. An instance whose past was
    /// erased counts as foreign, because its past is not known.
    ///
    /// - Parameter versions: The selected versions; empty for all.
    func meeting(
        with record: InstanceRecord, by filter: InstanceQuery, since floor: Position
    ) async throws(Rejection) -> Meeting {
        if record.head < floor { return .selected }
        var stays: [BulkStay] = []
        // The newest row comes first, and each row has the version behind it.
        var next: JournalRecord?
        func take(_ row: JournalRecord, isOld: Bool) {
            if let next, next.machineID != row.machineID {
                stays.append(BulkStay(machine: row.machineID, begin: isOld ? nil : row.position, end: next.position))
            } else if let stay = stays.last, next != nil {
                stays[stays.count - 1] = BulkStay(
                    machine: stay.machine, begin: isOld ? nil : row.position, end: stay.end)
            }
            next = row
        }
        let last = try await lastRow(of: record, before: floor) { take($0, isOld: false) }
        guard let last else { return .foreign }
        let first = next
        take(last, isOld: true)
        guard try await isOne(last.machineID, of: filter.versions) else { return .foreign }
        guard try await filter.tookStatus(of: record, at: last, followedBy: first, in: self) else { return .foreign }
        // The run passed no instance in a version that is not selected.
        var met: [BulkStay] = []
        for stay in stays where try await isOne(stay.machine, of: filter.versions) { met.append(stay) }
        return filter.versions.count == 1 || met.isEmpty ? .selected : .crossed(met)
    }

    /// Returns true if a version of a machine is among the selected ones.
    private func isOne(_ machine: MachineID, of versions: [MachineVersion]) async throws(Rejection) -> Bool {
        if versions.isEmpty { return true }
        return versions.contains(try await loadedMachine(machine).record.version)
    }

    /// Returns the last row of an instance before a position; `nil` if there is none.
    ///
    /// - Parameter body: Called with the later rows, the newest first.
    func lastRow(
        of record: InstanceRecord, before floor: Position, since body: (JournalRecord) -> Void
    ) async throws(Rejection) -> JournalRecord? {
        var next: (position: Position, seq: Seq)? = (record.head, record.seq)
        // Most instances have had at most one row since.
        var count: Int64 = 2
        // A damaged file may name a row before the first.
        while let (position, seq) = next, seq.rawValue > 0 {
            let query = HistoryQuery(
                instance: record.id, head: position, headSeq: seq,
                seqs: max(1, seq.rawValue - count + 1)...seq.rawValue, isReversed: true)
            next = nil
            for row in try await history(query) {
                if row.position < floor { return row }
                body(row)
                next = row.previous.map { ($0, Seq(rawValue: row.seq.rawValue - 1)) }
            }
            count = limits.foldedRows
        }
        return nil
    }
}

extension InstanceQuery {
    /// Returns true if the filter took an instance after a row, as far as states, statuses and failures matter.
    ///
    /// - Parameter next: The row behind `row`; `nil` if there is none.
    fileprivate func tookStatus(
        of record: InstanceRecord, at row: JournalRecord, followedBy next: JournalRecord?, in engine: Engine
    ) async throws(Rejection) -> Bool {
        guard takes(configuration: row.to) else { return false }
        if statuses.isEmpty, failures.isEmpty { return true }
        // Only a running instance accepts events from outside.
        if next?.kind == .event { return failures.isEmpty && takes(.running) }
        guard let snapshot = try await engine.fold(of: record, through: row.seq.rawValue).snapshot else { return false }
        guard takes(InstanceStatus(snapshot.status)) else { return false }
        if failures.isEmpty { return true }
        let told = try await engine.failure(of: record, at: row.seq)
        return takes(
            configuration: row.to, entered: record.entered, failure: told.map { JSONWriter.string($0) },
            error: InvocationError(snapshot.armed.kept?.data))
    }
}
