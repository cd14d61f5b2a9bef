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
        if let found = try await parts(of: key) { return try same(found, asked, by: caller) }
        var looks: [RunBegin] = []
        for partition in store.partitions where asked.expect != nil {
            looks.append(try await trial(in: partition) { batch in RunBegin(batch.numbers) })
        }
        let checked = try await checked(asked, named, by: caller)
        let (request, names) = (checked.request, checked.names)
        let text = request.text
        guard text.utf8.count <= limits.runBytes else {
            throw Rejection.tooMuchTogether("What a run does is at most \(limits.runBytes) bytes of JSON")
        }
        try bulk.takePlace()
        defer { bulk.leavePlace() }
        let begun = now
        if request.isAtomic {
            if !isTogether(request, names, by: caller) { throw Rejection.apart }
            try await refuseMisfits(checked, by: caller)
        }
        let (selected, unevaluated) = try await select(request, names, at: begun, by: caller)
        let run = BulkRecord(
            key: key, request: text, actor: caller.actor, generation: generation,
            floor: Position.beginning(of: partition).next, selected: selected,
            outcome: BulkOutcome(unevaluated: unevaluated).text, begun: begun)
        let forgotten = try await runsToForget()
        for partition in store.partitions.dropFirst() where !forgotten.isEmpty {
            try await queue.submit(ForgetRunsCommand(partition: partition, runs: forgotten))
        }
        let now = try await queue.submit(
            BeginRunCommand(
                run: run, request: request, partitions: store.partitions, begins: looks, names: names,
                forgotten: forgotten, settles: settles, caller: caller))
        let view = try same([now], asked, by: caller)
        // After a failure the run opens its parts by itself.
        defer { bulk.look(at: key) }
        if placement.hasOne { return view }
        for partition in store.partitions.dropFirst() {
            try await queue.submit(OpenRunCommand(key: key.with(partition: partition)))
        }
        return try await self.run(named: name, by: caller)
    }

    /// Returns true if all instances of a request are in one partition for certain.
    private func isTogether(_ request: BulkRequest, _ names: [InstanceName], by caller: Caller) -> Bool {
        if placement.hasOne { return true }
        if request.selection != nil { return false }
        return Set(names.map { placement.partition(of: InstanceKey($0, in: caller.namespace)) }).count <= 1
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
        _ parts: [BulkRecord], _ asked: BulkRequest, by caller: Caller
    ) throws(Rejection) -> BulkView {
        let found = try view(of: parts)
        guard caller.isActor(found.record.actor), found.request.isSame(as: asked) else {
            throw Rejection(
                .keyReused, "The name '\(found.record.key.name)' was used for another run; nothing was changed")
        }
        return found
    }

    /// Returns the runs that ended first, if there are too many to keep.
    private func runsToForget() async throws(Rejection) -> [BulkKey] {
        var runs: [BulkRecord] = []
        for run in try await allRuns() {
            if run.key.partition == partition {
                runs.append(run)
            } else if run.state != .done, let last = runs.indices.last {
                // The parts of a run follow the first.
                runs[last].state = run.state
            }
        }
        let ended = runs.filter { $0.state == .done }.sorted { ($0.updated, $0.begun) < ($1.updated, $1.begun) }
        let surplus = runs.count - limits.keptRuns + 1
        if surplus > ended.count {
            throw .runsKept(limits.keptRuns)
        }
        return surplus > 0 ? ended.prefix(surplus).map(\.key) : []
    }

    /// Returns a run in all partitions; `nil` if there is none.
    private func parts(of key: BulkKey) async throws(Rejection) -> [BulkRecord]? {
        if placement.hasOne {
            let run = try await read { () async throws(StoreError) in try await store.bulkRun(key) }
            return run.map { [$0] }
        }
        let before = key.with(partition: PartitionID(rawValue: key.partition.rawValue - 1))
        let parts = try await read { () async throws(StoreError) in
            try await store.bulkRuns(after: before, limit: store.partitions.count)
        }
        return parts.first?.key == key ? parts.filter { $0.key.with(partition: key.partition) == key } : nil
    }

    /// Returns the whole of a run, of which one part is given.
    func whole(_ part: BulkRecord) async throws(Rejection) -> BulkRecord {
        if placement.hasOne { return part }
        let parts = try await parts(of: part.key.with(partition: partition))
        return try view(of: parts ?? [part]).record
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

    /// - Parameter parts: A run in its partitions, with at least the first.
    private func view(of parts: some Collection<BulkRecord>) throws(Rejection) -> BulkView {
        guard let first = parts.first else { throw .inconsistent("a run has no part") }
        let paused = bulk.load.paused
        let reason = parts.lazy.filter { $0.state == .running }.compactMap { paused[$0.key] }.first
        return try BulkView(first, parts.dropFirst(), limits: limits, paused: reason)
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
        guard let parts = try await parts(of: key) else { throw .runNotFound(name) }
        var view = try view(of: parts)
        if view.record.state == .done, view.request.action.verb.traits.undoneKind != nil {
            view.undoneBy = try await undo(of: view, by: caller)
        }
        return view
    }

    /// Returns all stored runs of the caller's namespace, the last begun first.
    package func runs(by caller: Caller) async throws(Rejection) -> [BulkView] {
        var views: [BulkView] = []
        var rest = try await allRuns().filter { $0.key.namespace == caller.namespace }[...]
        while let next = rest.first {
            let parts = rest.prefix { $0.key.name == next.key.name }
            rest = rest.dropFirst(parts.count)
            views.append(try view(of: parts))
        }
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
        var parts: [BulkRecord] = []
        var isRecorded = false
        defer { bulk.look(at: key) }
        for partition in store.partitions {
            var command = ChangeRunCommand(
                key: key.with(partition: partition), state: state, generation: generation, caller: caller)
            command.isRecorded = isRecorded
            let (part, hasChanged) = try await queue.submit(command)
            parts.append(part)
            isRecorded = isRecorded || hasChanged
        }
        return try view(of: parts)
    }

    /// Returns a stream with an element after each later change of a run, which ends with the daemon; `nil` if too many
    /// callers wait already.
    package func changes(ofRun view: BulkView) -> AsyncStream<Void>? { bulk.feed.changes(of: view.record.key) }

    /// The number of runs under way.
    package var runsUnderWay: Int { bulk.load.active }
}
