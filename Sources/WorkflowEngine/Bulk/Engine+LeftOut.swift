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
        for part in view.parts {
            let request = try BulkView(part).request
            let turns = try BulkTurns(request, at: part.begun, in: caller.namespace)
            let walk = BulkWalk(turns: turns, names: .stored(part.key), in: part.key.partition)
            try await forEachSelected(walk) { met in
                var selected: [BulkWalk.Met] = []
                for met in met {
                    if let record = met.record, !(try await wasSelected(record, by: part, request)) { continue }
                    selected.append(met)
                }
                var told: [BulkOutcome.Told] = []
                try await rehearse(selected, turns, by: caller) { met, turn in
                    guard let turn, turn.kind == kind else { return }
                    var outcome = BulkOutcome()
                    outcome.add(turn, of: met.instance, limits: limits, isStored: false)
                    told += outcome.told
                }
                try await body(told)
            }
        }
    }

    /// Returns true if a run selected an instance of its partition and did nothing to it.
    private func wasSelected(
        _ record: InstanceRecord, by run: BulkRecord, _ request: BulkRequest
    ) async throws(Rejection) -> Bool {
        if let first = request.instances, record.id >= first { return false }
        if record.head < run.floor { return true }
        if request.isForUnmoved { return false }
        if let selection = request.selection,
            case .foreign = try await meeting(
                with: record, by: try selection.filter(at: run.begun), since: run.floor)
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
