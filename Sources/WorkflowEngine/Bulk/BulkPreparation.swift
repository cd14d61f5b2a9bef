import Statechart
import WorkflowStore

/// The data that a bulk run needs for an instance before its turn, in addition to the instance's row.
enum BulkPreparation: Sendable {
    /// No data.
    case none
    /// The past state, for a reset or an undo by a reset.
    case past(Result<FoldedPast, Rejection>)
    /// The seq of the row to undo, which is the last row; for an undo that needs no past state.
    case last(Seq)
    /// The calls of the instance, for a deletion.
    case look(DeleteCommand.Look)
    /// The data for a redaction.
    case found(RedactCommand.Found)
    /// The instance has changed since the row to undo. Has the message.
    case changed(String)
    /// The instance is not the run's, or has its turn in another version.
    case passedOver

    /// The approximate number of bytes of the preparation.
    var size: Int {
        switch self {
        case .past(.success(let past)): past.size
        case .look(let look): 8 * look.calls.count
        case .found(let found): 8 * found.calls.count
        case .none, .past(.failure), .last, .changed, .passedOver: 0
        }
    }
}

extension Engine {
    /// Reads the data that an action needs for an instance.
    func prepare(_ action: BulkAction, on record: InstanceRecord) async throws(Rejection) -> BulkPreparation {
        switch action {
        case .repair, .send, .migrate: return .none
        case .reset(let seq, _, _): return .past(await past(of: record, for: .seq(seq)))
        case .undo(let undone, _): return try await prepare(undone, on: record)
        case .delete: return .look(try await look(at: record))
        case .redact: return .found(try await find(record))
        }
    }

    private func prepare(_ undone: UndoneRun, on record: InstanceRecord) async throws(Rejection) -> BulkPreparation {
        guard let row = try await row(of: undone, in: record) else { return .passedOver }
        if row.isRedacted {
            return .changed(
                "a row '\(row.kind.rawValue)' was redacted: nobody can say any more whether it was this run's")
        }
        if row.seq < record.seq {
            return .changed("it has gone on since the run (seq \(row.seq.rawValue), now \(record.seq.rawValue))")
        }
        if undone.undoingKind == .resumed { return .last(row.seq) }
        return .past(await past(of: record, for: .seq(Seq(rawValue: row.seq.rawValue - 1))))
    }

    /// Returns the row that a run wrote in an instance. If there is none, returns a redacted row that may be the run's,
    /// because such a row no longer names its run. Returns `nil` if there is neither.
    private func row(of run: UndoneRun, in record: InstanceRecord) async throws(Rejection) -> JournalRecord? {
        guard let floor = run.floor, record.head >= floor else { return nil }
        var (found, redacted): (JournalRecord?, JournalRecord?)
        _ = try await lastRow(of: record, before: floor) { row in
            guard row.kind == run.kind else { return }
            if RowNote(row.note).run == run.name { found = row } else if row.isRedacted { redacted = row }
        }
        return found ?? redacted
    }

    /// Returns true if an action is meant for a selected instance. An undo is meant only for instances that the undone
    /// run changed.
    func isMeant(_ record: InstanceRecord, by action: BulkAction) async throws(Rejection) -> Bool {
        guard case .undo(let undone, _) = action else { return true }
        return try await row(of: undone, in: record) != nil
    }

    /// Completes a request with stored data: an undo gets the run that it undoes.
    func resolved(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller
    ) async throws(Rejection) -> (request: BulkRequest, names: [InstanceName]) {
        guard case .undo(let undone, let invocations) = request.action else { return (request, names) }
        let run = try await self.run(named: undone.name, by: caller)
        guard let kind = run.request.action.undoneKind else { throw .neverUndone(run) }
        if run.record.state == .running { throw .runNotDone(undone.name) }
        var request = request
        // An all-or-nothing run that left an instance out changed none.
        let isUndone = run.request.isAtomic && run.outcome.left > 0
        let changed = isUndone ? 0 : run.outcome.count(of: .done) + run.outcome.count(of: .failed)
        request.action = .undo(
            UndoneRun(undone.name, kind: kind, floor: run.record.floor, changed: changed),
            invocations: invocations)
        switch run.request.targets {
        case .selection(let selection):
            // The instances count whatever version they have now.
            request.targets = .selection(BulkSelection(machines: selection.machines))
            return (request, [])
        case .names(let count, _):
            request.targets = run.request.targets
            return (request, try await self.names(of: run.record.key, count))
        }
    }

    /// Returns the instances that a run names.
    func names(of run: BulkKey, _ count: Int) async throws(Rejection) -> [InstanceName] {
        var names: [InstanceName] = []
        while names.count < count {
            let begin = Int64(names.count)
            let more = try await read { () async throws(StoreError) in try await store.bulkNames(of: run, from: begin) }
            if more.isEmpty { throw .inconsistent("the run '\(run.name)' has lost names") }
            names += more
        }
        return names
    }

    /// Completes the erasures that a run has begun for instances.
    func finish(_ action: BulkAction, of ids: [InstanceID]) async throws(Rejection) {
        guard action.erasure == .redaction else { return }
        do throws(Rejection) {
            for id in ids { try await finishErasures(of: id) }
        } catch {
            erasures?.leave()
            throw error
        }
    }
}

extension Rejection {
    fileprivate static func neverUndone(_ run: BulkView) -> Rejection {
        let name = run.record.key.name
        let message =
            run.request.action.isUndo
            ? "The run '\(name)' is an undo, which is not undone: do again what it has undone, in a new run"
            : "The run '\(name)' is of '\(run.request.action.verb)', which is not undone: "
                + "set, cancel, skip, suspend, reset and migrate are"
        return Rejection(.notUndoable, message)
    }
}
