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
    /// It is none of the run's, or has had its turn.
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
    ///
    /// - Parameter run: The run, once it has begun.
    func prepare(
        _ action: BulkAction, on record: InstanceRecord, in run: BulkRecord?
    ) async throws(Rejection) -> BulkPreparation {
        // A run comes past an instance again where that went to a later version, by the run itself or by others.
        if let run, record.head >= run.floor,
            try await firstRow(of: record, since: run.floor, where: { RowNote($0.note).run == run.key.name }) != nil
        {
            return .passedOver
        }
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
        let row = try await firstRow(of: record, since: floor) { row in
            RowNote(row.note).run == run.name || row.kind == .migrated && row.isRedacted
        }
        return row?.kind == .migrated ? row : nil
    }

    /// Whether a run is for an instance that it selects: an undo is for those that the other run has migrated.
    func isMeant(_ record: InstanceRecord, by action: BulkAction) async throws(Rejection) -> Bool {
        guard case .undo(let undone, _) = action else { return true }
        return try await migration(by: undone, of: record) != nil
    }

    /// The first row since a position that is such; nil when there is none.
    private func firstRow(
        of record: InstanceRecord, since floor: Position, where isWanted: (JournalRecord) -> Bool
    ) async throws(Rejection) -> JournalRecord? {
        var found: JournalRecord?
        var upper = record.seq.rawValue
        // Most have had nothing since.
        var count: Int64 = 2
        while upper > 0 {
            let lower = max(1, upper - count + 1)
            let query = HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: lower...upper, isReversed: true)
            for row in try await history(query) {
                if row.position < floor { return found }
                if isWanted(row) { found = row }
            }
            upper = lower - 1
            count = limits.foldedRows
        }
        return found
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
