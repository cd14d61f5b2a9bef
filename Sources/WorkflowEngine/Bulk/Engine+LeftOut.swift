import WorkflowStore

// The instances that a bulk run has left out.

extension Engine {
    /// Finds the instances of a run that had an outcome, in their turn. The run does not store them: its selected
    /// instances without a row of the run are rehearsed as they are now. An instance is missing if it has left the
    /// selection since, was deleted or redacted, or if the verb now applies to it.
    ///
    /// - Parameters:
    ///   - kind: Misfit, refused or passed over, and for an undo also changed, which finds the instances that have gone
    ///     on since the undone run. Instances with other outcomes have rows of the run, or are no longer known.
    ///   - body: Called with the next of these instances, possibly with none.
    @concurrent package func leftOut(
        _ kind: BulkOutcome.Kind, ofRun name: String, by caller: Caller,
        _ body: @concurrent ([BulkOutcome.Told]) async throws -> Void
    ) async throws {
        let view = try await run(named: name, by: caller)
        guard view.record.state == .done else { throw Rejection.runNotDone(name) }
        var names: [InstanceName] = []
        if case .names(let count, _) = view.request.targets { names = try await self.names(of: view.record.key, count) }
        try await forEachSelected(view.request, names, at: view.record.begun, by: caller) { found, missing in
            var told: [BulkOutcome.Told] = []
            if kind == .refused {
                told += missing.map {
                    BulkOutcome.Told(kind: kind, instance: $0, message: Rejection.instanceNotFound($0).message)
                }
            }
            for record in found where try await wasSelected(record, by: view) {
                var rehearsal = BulkRehearsal()
                try await rehearse(view.request, on: record, at: now, by: caller, &rehearsal)
                told += rehearsal.outcome.told.filter { $0.kind == kind }
            }
            try await body(told)
        }
    }

    /// Returns true if a run selected an instance and did nothing to it.
    private func wasSelected(_ record: InstanceRecord, by view: BulkView) async throws(Rejection) -> Bool {
        let run = view.record
        if let first = view.request.instances, record.id >= first { return false }
        if record.head < run.floor { return true }
        if case .selection(let selection) = view.request.targets,
            case .foreign = try await meeting(
                with: record, by: selection.filter(at: run.begun), versions: selection.versions, since: run.floor)
        {
            return false
        }
        var isDone = false
        _ = try await lastRow(of: record, before: run.floor) { row in
            if RowNote(row.note).run == run.key.name { isDone = true }
        }
        return !isDone
    }
}
