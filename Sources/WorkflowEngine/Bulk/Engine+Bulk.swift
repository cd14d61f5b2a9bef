import Statechart
package import WorkflowStore

// Runs over many instances.

extension Engine {
    /// Begins a run, which is on disk on return and goes on by itself. If a run with this name and the same request has
    /// begun already, returns its progress.
    ///
    /// - Parameters:
    ///   - named: The instances that the run names; empty for a selection.
    ///   - settles: A setting of a machine that is changed when the run begins, in the same transaction; `nil` for
    ///     none.
    package func begin(
        run name: String, _ asked: BulkRequest, _ named: [InstanceName], settles: SetMachineCommand? = nil,
        by caller: Caller
    ) async throws -> BulkView {
        let key = self.key(ofRun: name, by: caller)
        let (found, look) = try await trial { (batch) throws(Rejection) in
            (try batch.run(key), RunBegin(batch.numbers))
        }
        if let found { return try same(found, asked, by: caller) }
        let checked = try await checked(asked, named, by: caller)
        let (request, names) = (checked.request, checked.names)
        let text = request.text
        guard text.utf8.count <= limits.runBytes else {
            throw Rejection.tooMuchTogether("What a run does is at most \(limits.runBytes) bytes of JSON")
        }
        try bulk.takePlace()
        defer { bulk.leavePlace() }
        let begun = now
        if request.isAtomic { try await refuseMisfits(checked, by: caller) }
        let (selected, unevaluated) = try await select(request, names, at: begun, by: caller)
        let run = BulkRecord(
            key: key, request: text, actor: caller.actor, generation: generation, floor: look.floor, selected: selected,
            outcome: BulkOutcome(unevaluated: unevaluated).text, begun: begun)
        let forgotten = try await runsToForget()
        let now = try await queue.submit(
            BeginRunCommand(
                run: run, request: request, begin: request.expect == nil ? nil : look, names: names,
                forgotten: forgotten, settles: settles, caller: caller))
        let view = try same(now, asked, by: caller)
        bulk.look(at: key)
        return view
    }

    /// Counts the selected instances, and those for which the condition has no value. Throws if the selection differs
    /// from the rehearsed one.
    private func select(
        _ request: BulkRequest, _ names: [InstanceName], at now: Timestamp, by caller: Caller
    ) async throws -> (selected: Int64, unevaluated: Int64) {
        if request.expect == nil, let selection = request.selection, !request.action.isUndo,
            let count = try await count(selection, by: caller)
        {
            return (count, 0)
        }
        var digest = SelectionDigest()
        var missing: Int64 = 0
        let turns = try BulkTurns(request, at: now, in: caller.namespace)
        let examination = try await forEachSelected(BulkWalk(turns: turns, names: .given(names))) { met in
            for met in met {
                guard let record = met.record else {
                    missing += 1
                    continue
                }
                // An undo is meant only for the instances that the undone run has changed.
                if let undo = request.action.undo, try await undo.row(in: record, of: self) == nil { continue }
                digest.add(record)
            }
        }
        let count = digest.count + missing
        try request.refuse(unless: digest.value, of: count)
        return (max(count, request.action.undo?.changed ?? 0), examination.failed)
    }

    /// Returns the number of selected instances from the store's counts; `nil` if the store does not count by all
    /// criteria.
    private func count(_ selection: BulkSelection, by caller: Caller) async throws -> Int64? {
        guard !selection.needsWalk else { return nil }
        var count: Int64 = 0
        try await forEachCounted(selection, by: caller) { count += $0.count }
        return count
    }

    /// Calls `body` with the store's counts of the instances in a selection.
    func forEachCounted(
        _ selection: BulkSelection, by caller: Caller, _ body: (TallyRecord) -> Void
    ) async throws(Rejection) {
        var query = TallyQuery(machines: selection.machines, limit: limits.countedPage)
        while true {
            let page = try await tally(query, by: caller)
            for record in page where selection.takes(record) { body(record) }
            guard page.count == query.limit, let last = page.last else { return }
            query.after = last.key
        }
    }

    /// Rejects an all-or-nothing run that would leave instances out.
    private func refuseMisfits(_ checked: CheckedBulkRequest, by caller: Caller) async throws {
        let outcome = try await rehearse(checked, by: caller) { _ in }.outcome
        let left = outcome.left
        guard left > 0 else { return }
        let leftOut = outcome.told.first { $0.kind != .done && $0.kind != .passedOver }
        let first = leftOut.map { ": \($0.message ?? $0.instance.rawValue)" }
        throw Rejection(
            .misfit, "\(left) of \(outcome.total) instances would be left out, so nothing was done\(first ?? "")")
    }

    private func same(
        _ found: BulkRecord, _ asked: BulkRequest, by caller: Caller
    ) throws(Rejection) -> BulkView {
        guard caller.isActor(found.actor), let request = BulkRequest(found.request), request.isSame(as: asked) else {
            throw Rejection(
                .keyReused, "The name '\(found.key.name)' was used for another run; nothing was changed")
        }
        return try view(of: found)
    }

    /// Returns the runs that ended first, if there are too many to keep.
    private func runsToForget() async throws(Rejection) -> [BulkKey] {
        let runs = try await allRuns()
        let ended = runs.filter { $0.state == .done }.sorted { ($0.updated, $0.begun) < ($1.updated, $1.begun) }
        let surplus = runs.count - limits.keptRuns + 1
        if surplus > ended.count {
            throw .runsKept(limits.keptRuns)
        }
        return surplus > 0 ? ended.prefix(surplus).map(\.key) : []
    }

    /// Returns all stored runs.
    func allRuns() async throws(Rejection) -> [BulkRecord] {
        var runs: [BulkRecord] = []
        while true {
            let last = runs.last?.key
            let page = try await read { () async throws(StoreError) in
                try await store.bulkRuns(after: last, limit: 100)
            }
            if page.isEmpty { return runs }
            runs += page
        }
    }

    func check(_ request: BulkRequest, _ names: [InstanceName], by caller: Caller) async throws(Rejection) {
        if names.count > limits.runNames {
            throw .tooMuchTogether("A run names at most \(limits.runNames) instances; make several runs of them")
        }
        guard let selection = request.selection else { return }
        _ = try selection.filter(at: now)
        var known: [MachineRecord] = []
        for machine in selection.machines {
            if selection.versions.isEmpty { known.append(try await self.machine(named: machine, by: caller)) }
            for version in selection.versions {
                known.append(try await self.machine(named: machine, version: version, by: caller))
            }
        }
        if let verb = request.action.verb as? any SelectiveVerb {
            try await verb.check(selection, of: known, in: self, by: caller)
        }
    }

    private func key(ofRun name: String, by caller: Caller) -> BulkKey {
        BulkKey(name, in: caller.namespace, partition: partition)
    }

    private func view(of run: BulkRecord) throws(Rejection) -> BulkView {
        try BulkView(run, paused: run.state == .running ? bulk.load.paused[run.key] : nil)
    }
}

extension BulkRequest {
    /// Throws if another selection was rehearsed.
    func refuse(unless digest: Digest, of count: Int64) throws(Rejection) {
        let text = digest.text
        guard let expect, !text.hasPrefix(expect) else { return }
        throw Rejection(
            .selectionChanged,
            "The selection is no longer '\(expect)': \(count) instances are selected now, with digest "
                + "\(text.prefix(6)); nothing was done")
    }
}

extension Engine {
    /// Returns a run as it is on disk.
    package func run(named name: String, by caller: Caller) async throws(Rejection) -> BulkView {
        let key = key(ofRun: name, by: caller)
        let run = try await read { () async throws(StoreError) in try await store.bulkRun(key) }
        guard let run else { throw .runNotFound(name) }
        var view = try view(of: run)
        if run.state == .done, view.request.action.verb.traits.undoneKind != nil {
            view.undoneBy = try await undo(of: view, by: caller)
        }
        return view
    }

    /// Returns all stored runs of the caller's namespace, the last begun first.
    package func runs(by caller: Caller) async throws(Rejection) -> [BulkView] {
        var views: [BulkView] = []
        for run in try await allRuns() where run.key.namespace == caller.namespace { views.append(try view(of: run)) }
        return views.reversed().sorted { $0.record.begun > $1.record.begun }
    }

    /// Stops a run until a caller resumes it. Its changes stay.
    package func stopRun(named name: String, by caller: Caller) async throws(Rejection) -> BulkView {
        try await change(name, to: .stopped, by: caller)
    }

    /// Resumes a stopped run. A run that was undone has ended.
    package func resumeRun(named name: String, by caller: Caller) async throws(Rejection) -> BulkView {
        try bulk.takePlace()
        defer { bulk.leavePlace() }
        let run = try await change(name, to: .running, by: caller)
        guard run.record.state == .done, let undo = try await undo(of: run, by: caller) else { return run }
        throw Rejection(
            .notUndoable,
            "The run '\(name)' has ended: '\(undo)' has undone it; begin a run of another name for the rest")
    }

    /// Returns the name of the run that undid another; `nil` if none has.
    private func undo(of run: BulkView, by caller: Caller) async throws(Rejection) -> String? {
        try await runs(by: caller).first { $0.request.action.isUndo(of: run.record) }?.record.key.name
    }

    private func change(
        _ name: String, to state: BulkRecord.State, by caller: Caller
    ) async throws(Rejection) -> BulkView {
        let key = key(ofRun: name, by: caller)
        let run = try await queue.submit(
            ChangeRunCommand(key: key, state: state, generation: generation, caller: caller))
        bulk.look(at: key)
        return try view(of: run)
    }

    /// Returns a stream with an element after each later change of a run, which ends with the daemon; `nil` if too many
    /// callers wait already.
    package func changes(ofRun view: BulkView) -> AsyncStream<Void>? { bulk.feed.changes(of: view.record.key) }

    /// The number of runs under way.
    package var runsUnderWay: Int { bulk.load.active }
}
