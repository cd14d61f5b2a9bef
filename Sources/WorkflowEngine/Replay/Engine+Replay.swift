package import Statechart
package import WorkflowStore

// Past and hypothetical states of instances. Everything here only reads.

extension Engine {
    /// Returns an instance as it was after one of its macrosteps; `nil` if it has none with this seq.
    package func instance(
        named name: InstanceName, after seq: Seq, by caller: Caller
    ) async throws(Rejection) -> InstanceView? {
        let now = try await instance(named: name, by: caller).record
        guard seq <= now.seq else { return nil }
        let query = HistoryQuery(
            instance: now.id, head: now.head, headSeq: now.seq, seqs: seq.rawValue...seq.rawValue, isReversed: false)
        let fold = try await fold(of: now, through: seq.rawValue)
        if fold.isInGap { throw .redacted("What '\(name)' was after seq \(seq.rawValue)") }
        guard let row = try await history(query).first, let snapshot = fold.snapshot else {
            throw .inconsistent("the history of '\(name)' has no row at seq \(seq.rawValue)")
        }
        let loaded = try await loadedMachine(row.machineID)
        var past = now
        past.seq = seq
        past.head = row.position
        past.digest = row.digest
        past.machineID = row.machineID
        past.status = row.position == now.head ? now.status : InstanceStatus(snapshot.status)
        past.state = loaded.machine.text(of: snapshot)
        past.updated = row.at
        past.failure = RecordedFailure(note: row.note)?.text(seq: row.seq, at: row.at)
        return try await view(of: past)
    }

    /// Repeats an instance's macrosteps and reports those in a range of seqs. Begins at the last stored snapshot before
    /// the range; compares each row from there on with its macrostep.
    @concurrent package func replay(
        _ record: InstanceRecord, in seqs: ClosedRange<Seq>, isTracing: Bool, by caller: Caller,
        _ report: @concurrent (ReplayedStep) async throws -> Void
    ) async throws {
        try refuse(record, to: caller)
        var (fold, next) = try await folder.begin(record, atOrBefore: seqs.lowerBound.rawValue - 1)
        let last = min(seqs.upperBound, record.seq).rawValue
        while next <= last {
            let rows = try await history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq,
                    seqs: next...min(last, next + limits.foldedRows - 1), isReversed: false))
            if rows.isEmpty { throw Rejection.inconsistent("the history has no row at seq \(next)") }
            for row in rows {
                next = row.seq.rawValue + 1
                let isWanted = seqs.contains(row.seq)
                fold.isTracing = isTracing && isWanted
                let loaded = try await loadedMachine(row.machineID)
                let macrostep = try await folder.take(row, of: record, loaded, &fold)
                guard isWanted else { continue }
                let status = fold.snapshot.map { InstanceStatus($0.status) } ?? row.statusBehind ?? .running
                try await report(
                    ReplayedStep(
                        row: row, machine: loaded.machine, version: loaded.record.version, snapshot: fold.snapshot,
                        status: row.position == record.head ? record.status : status,
                        microsteps: macrostep?.microsteps ?? []))
            }
        }
    }

    /// Rejects a request that reads the whole store, if the store does not support this.
    package func requireAudit() throws(Rejection) {
        do throws(StoreError) {
            _ = try store.requireAudit()
        } catch {
            throw Rejection(error)
        }
    }

    /// Replays one instance with another definition.
    @concurrent package func backtest(
        _ record: InstanceRecord, with machine: Machine, by caller: Caller, _ report: Backtest.Report
    ) async throws -> TrialVerdict {
        try refuse(record, to: caller)
        return try await Backtest(of: store, with: machine, limits: limits).run(instance: record, report)
    }

    /// Replays every instance of a machine that the caller sees, or those of some of its versions, with another
    /// definition.
    ///
    /// - Parameter versions: The versions; empty for all.
    @concurrent package func backtest(
        machine name: MachineName, versions: [MachineVersion], with machine: Machine, by caller: Caller,
        _ report: Backtest.Report
    ) async throws -> TrialCounts {
        try await Backtest(of: store, with: machine, limits: limits).run(
            machine: MachineKey(name, in: caller.namespace), versions: versions, report)
    }
}

/// One repeated macrostep.
package struct ReplayedStep: Sendable {
    package let row: JournalRecord
    package let machine: Machine
    package let version: MachineVersion
    /// The instance afterwards; `nil` if a redaction erased its state.
    package let snapshot: Snapshot?
    package let status: InstanceStatus
    /// The microsteps; empty if they were not requested or the instance failed.
    package let microsteps: [Microstep]
}
