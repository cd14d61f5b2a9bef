import Statechart
import WorkflowJSON
import WorkflowStore

/// Where a store stood when a run began: what is younger was not selected.
struct RunBegin: Sendable {
    /// The first position that no row had.
    let floor: Position
    /// The first id that no instance had.
    let instances: InstanceID

    init(_ numbers: StoreNumbers) {
        floor = numbers.nextPosition
        instances = numbers.nextInstance
    }
}

extension Engine {
    /// What an instance is for a run that selects it now.
    enum Meeting: Sendable {
        /// It was selected when the run began, and has not left its version.
        case selected
        /// It was selected, and has gone from version to version since: it may have had its turn.
        case crossed([BulkStay])
        /// It was not selected.
        case foreign
    }

    /// Whether a filter that takes an instance now took it when a run began too. Of one whose past was erased this is
    /// not known: it counts as foreign.
    ///
    /// - Parameter versions: Those that are selected; empty for all.
    func meeting(
        with record: InstanceRecord, by filter: InstanceQuery, versions: [MachineVersion], since floor: Position
    ) async throws(Rejection) -> Meeting {
        if record.head < floor { return .selected }
        var stays: [BulkStay] = []
        // The newest first: each row tells the version behind it.
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
        guard try await isOne(last.machineID, of: versions) else { return .foreign }
        guard try await filter.tookStatus(of: record, at: last, followedBy: first, in: self) else { return .foreign }
        // The run came past nobody in a version that is not selected.
        var met: [BulkStay] = []
        for stay in stays where try await isOne(stay.machine, of: versions) { met.append(stay) }
        return versions.count == 1 || met.isEmpty ? .selected : .crossed(met)
    }

    /// Whether a version of a machine is among those that are selected.
    private func isOne(_ machine: MachineID, of versions: [MachineVersion]) async throws(Rejection) -> Bool {
        if versions.isEmpty { return true }
        return versions.contains(try await loadedMachine(machine).record.version)
    }

    /// The last row of an instance before a position; nil when there is none.
    ///
    /// - Parameter body: Called with the rows since then, the newest first.
    func lastRow(
        of record: InstanceRecord, before floor: Position, since body: (JournalRecord) -> Void
    ) async throws(Rejection) -> JournalRecord? {
        var next: (position: Position, seq: Seq)? = (record.head, record.seq)
        // Most have had one row since, or none.
        var count: Int64 = 2
        // A damaged file may say that a row stands before the first.
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
    /// Whether it took an instance after a row, as far as it asks for states, statuses and failures.
    ///
    /// - Parameter next: The row behind that one; nil when there is none.
    fileprivate func tookStatus(
        of record: InstanceRecord, at row: JournalRecord, followedBy next: JournalRecord?, in engine: Engine
    ) async throws(Rejection) -> Bool {
        guard takes(configuration: row.to) else { return false }
        if statuses.isEmpty, failures.isEmpty { return true }
        // Only a running instance takes what others send.
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
