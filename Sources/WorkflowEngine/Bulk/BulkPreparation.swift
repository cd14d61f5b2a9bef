import Statechart
import WorkflowStore

/// What a run has to know of an instance before its turn, beside what the instance's row says.
enum BulkPreparation: Sendable {
    /// Nothing.
    case none
    /// For a reset, or the undo of a migration.
    case past(Result<FoldedPast, Rejection>)
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
        case .none, .past(.failure), .changed, .passedOver: 0
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
        guard let row = try await migration(by: undone, of: record) else { return .passedOver }
        if row.isRedacted {
            return .changed("the row of a migration was redacted: nobody can say any more whether this run moved it")
        }
        if row.seq < record.seq {
            return .changed(
                "it has gone on since it was migrated (seq \(row.seq.rawValue), now \(record.seq.rawValue))")
        }
        return .past(await past(of: record, for: .beforeMigration))
    }

    /// The row with which a run has migrated an instance, or may have: one that was redacted does not say whose it is.
    /// Nil when it has not.
    private func migration(by run: UndoneRun, of record: InstanceRecord) async throws(Rejection) -> JournalRecord? {
        guard let floor = run.floor, record.head >= floor else { return nil }
        var first: JournalRecord?
        _ = try await lastRow(of: record, before: floor) { row in
            if RowNote(row.note).run == run.name || row.kind == .migrated && row.isRedacted { first = row }
        }
        return first?.kind == .migrated ? first : nil
    }

    /// Whether a run is for an instance that it selects: an undo is for those that the other run has migrated.
    func isMeant(_ record: InstanceRecord, by action: BulkAction) async throws(Rejection) -> Bool {
        guard case .undo(let undone, _) = action else { return true }
        return try await migration(by: undone, of: record) != nil
    }

    /// The request with all that depends on what is stored now: an undo finds the run that it undoes.
    func resolved(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller
    ) async throws(Rejection) -> (request: BulkRequest, names: [InstanceName]) {
        guard case .undo(let undone, let invocations) = request.action else { return (request, names) }
        let run = try await self.run(named: undone.name, by: caller)
        guard case .migrate(_, _, retries: false) = run.request.action else {
            throw Rejection(
                .notUndoable,
                "The run '\(undone.name)' is of '\(run.request.action.verb)': only migrations can be undone")
        }
        if run.record.state == .running { throw .runNotDone(undone.name) }
        var request = request
        request.action = .undo(
            UndoneRun(undone.name, floor: run.record.floor, moved: run.outcome.count(of: .done)),
            invocations: invocations)
        switch run.request.targets {
        case .selection(let selection):
            // Whatever version they have now.
            request.targets = .selection(BulkSelection(machine: selection.machine))
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
        guard action.erases else { return }
        for id in ids { try await finishErasures(of: id) }
    }
}
