import Statechart
import WorkflowStore

/// What a run has to know of an instance before its turn, beside what the instance's row says.
enum BulkPreparation: Sendable {
    /// Nothing.
    case none
    /// For a reset, or an undo by one.
    case past(Result<FoldedPast, Rejection>)
    /// For an undo that needs no past: the seq of the row that is undone, which is the last.
    case last(Seq)
    /// For a deletion.
    case look(DeleteCommand.Look)
    /// For a redaction.
    case found(RedactCommand.Found)
    /// It has gone on since what is to be undone.
    case changed(String)
    /// It is none of the run's, or has its turn elsewhere.
    case passedOver

    /// Roughly the bytes that it takes.
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
    /// Looks at what a run has to know of an instance.
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

    /// The row that a run has in an instance, or may have: one that was redacted does not say whose it is. Nil when it
    /// has none.
    private func row(of run: UndoneRun, in record: InstanceRecord) async throws(Rejection) -> JournalRecord? {
        guard let floor = run.floor, record.head >= floor else { return nil }
        var (found, redacted): (JournalRecord?, JournalRecord?)
        _ = try await lastRow(of: record, before: floor) { row in
            guard row.kind == run.kind else { return }
            if RowNote(row.note).run == run.name { found = row } else if row.isRedacted { redacted = row }
        }
        return found ?? redacted
    }

    /// Whether a run is for an instance that it selects: an undo is for those to whom the other run did something.
    func isMeant(_ record: InstanceRecord, by action: BulkAction) async throws(Rejection) -> Bool {
        guard case .undo(let undone, _) = action else { return true }
        return try await row(of: undone, in: record) != nil
    }

    /// The request with all that depends on what is stored now: an undo finds the run that it undoes.
    func resolved(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller
    ) async throws(Rejection) -> (request: BulkRequest, names: [InstanceName]) {
        guard case .undo(let undone, let invocations) = request.action else { return (request, names) }
        let run = try await self.run(named: undone.name, by: caller)
        guard let kind = run.request.action.undoneKind else { throw .neverUndone(run) }
        if run.record.state == .running { throw .runNotDone(undone.name) }
        var request = request
        // Nothing was done of one that was to be done whole and left somebody out.
        let isUndone = run.request.isAtomic && run.outcome.left > 0
        let changed = isUndone ? 0 : run.outcome.count(of: .done) + run.outcome.count(of: .failed)
        request.action = .undo(
            UndoneRun(undone.name, kind: kind, floor: run.record.floor, changed: changed),
            invocations: invocations)
        switch run.request.targets {
        case .selection(let selection):
            // Whatever version they have now.
            request.targets = .selection(BulkSelection(machines: selection.machines))
            return (request, [])
        case .names(let count, _):
            request.targets = run.request.targets
            return (request, try await self.names(of: run.record.key, count))
        }
    }

    /// The instances that a run names.
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

    /// Does to the end what a run has begun of instances.
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
