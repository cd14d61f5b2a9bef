package import Statechart
package import WorkflowStore

/// What a run would do, told without doing it.
package struct BulkRehearsal: Sendable {
    /// Names what is selected: each instance, and its seq.
    package var digest: Digest
    package var selected: Int64
    /// Who would be done, or fail again, and so on.
    package var outcome = BulkOutcome()
    /// Of those that would be done, how many stand where afterwards.
    package var groups: [BulkPlace: BulkGroup] = [:]
    /// Invocations and calls that would begin, of how many of them a service would do something again, and invocations
    /// that would be cancelled.
    package private(set) var begun: Int64 = 0
    package private(set) var again: Int64 = 0
    package private(set) var cancelled: Int64 = 0
    /// How many stand elsewhere.
    package var others: Int64 = 0
    /// What has no place in another version, and of how many instances.
    package var misfits: [Misfit: Int64] = [:]
    /// Where versions lead that were met, by their row numbers.
    fileprivate var targets: [MachineID: LoadedMachine] = [:]

    /// Nobody was rehearsed.
    init() {
        digest = .zero
        selected = 0
    }

    mutating func add(_ result: SendResult, at now: Timestamp, limits: EngineLimits) {
        begun += Int64(result.effects?.begun.count ?? 0)
        cancelled += Int64(result.effects?.cancelled.count ?? 0)
        for invocation in result.reset?.invocations ?? [] {
            switch invocation.fate {
            case .again: again += 1
            case .cancelled: cancelled += 1
            case .stays, .answered: break
            }
        }
        let place = BulkPlace(result)
        guard groups[place] != nil || groups.count < limits.rehearsedGroups else {
            others += 1
            return
        }
        groups[place, default: BulkGroup()].add(result.migration?.told, at: now)
    }

    mutating func add(_ misfits: [Misfit], limits: EngineLimits) {
        for misfit in Set(misfits) where self.misfits[misfit] != nil || self.misfits.count < limits.rehearsedGroups {
            self.misfits[misfit, default: 0] += 1
        }
    }
}

/// Where instances stand after what a run would do.
package struct BulkPlace: Hashable, Sendable {
    /// Where they stood before, and where their states lead; nil of all but a migration. Paths of leaves.
    package let from: [String]?
    package let targets: [String]?
    package let configuration: [String]

    init(_ result: SendResult) {
        let told = result.migration?.told
        from = told == nil ? nil : result.from
        targets = told?.targets
        configuration = result.to
    }
}

/// How many instances would stand at a place, and what becomes of their timers.
package struct BulkGroup: Sendable {
    package private(set) var count: Int64 = 0
    /// Timers and delayed events that go on.
    package private(set) var kept: Int64 = 0
    package private(set) var ended: Int64 = 0
    /// Of those that would be armed, how many have which event.
    package private(set) var new: [String: Int64] = [:]
    /// How many of these are due already.
    package private(set) var due: Int64 = 0

    mutating func add(_ told: MigrationReport?, at now: Timestamp) {
        count += 1
        guard let told else { return }
        kept += Int64(told.kept.count)
        ended += Int64(told.ended.count)
        for timer in told.new {
            new[timer.event, default: 0] += 1
            if timer.due <= LogicalTime(now) { due += 1 }
        }
    }
}

/// The digest of a selection, made as it is gone through.
struct SelectionDigest {
    private var digest = RunningDigest()
    private var bytes: [UInt8] = []
    private(set) var count: Int64 = 0

    mutating func add(_ instance: InstanceRecord) {
        count += 1
        instance.uuid.withUnsafeBytes { bytes += $0 }
        withUnsafeBytes(of: instance.seq.rawValue.bigEndian) { bytes += $0 }
        if bytes.count >= 12_288 { flush() }
    }

    private mutating func flush() {
        digest.append(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Of all that were added.
    var value: Digest {
        mutating get {
            flush()
            return digest.value
        }
    }
}

extension Engine {
    /// Goes through what a run would be for, as it is on disk, in slices; nothing is kept from changing meanwhile.
    ///
    /// - Parameter body: Called with some instances, and with the names of those that are not there.
    func forEachSelected(
        _ request: BulkRequest, _ names: [InstanceName], at now: Timestamp, by caller: Caller,
        _ body: ([InstanceRecord], _ missing: [InstanceName]) async throws -> Void
    ) async throws {
        switch request.targets {
        case .selection(let selection):
            var query = SelectionQuery(
                selection.filter(at: now), versions: selection.versions, below: request.instances,
                limit: limits.selectedPage)
            while true {
                try Task.checkCancellation()
                let slice = try await read { [query] () async throws(StoreError) in
                    try await store.selection(query, in: caller.namespace)
                }
                let found =
                    selection.isSuspendedByMachine ? try await suspendedByMachine(slice.instances) : slice.instances
                try await body(found, [])
                guard let next = slice.next else { return }
                query.after = next
            }
        case .names:
            for start in stride(from: 0, to: names.count, by: limits.selectedPage) {
                try Task.checkCancellation()
                var found: [InstanceRecord] = []
                var missing: [InstanceName] = []
                for name in names[start..<min(start + limits.selectedPage, names.count)] {
                    let key = InstanceKey(name, in: caller.namespace)
                    let record = try await read { () async throws(StoreError) in try await store.instance(key) }
                    if let record { found.append(record) } else { missing.append(name) }
                }
                try await body(found, missing)
            }
        }
    }

    /// Does to each selected instance, in memory, what a run would do. Nothing is written.
    ///
    /// - Parameter progress: Called with how many were tried.
    @concurrent package func rehearse(
        _ asked: BulkRequest, _ named: [InstanceName], by caller: Caller,
        _ progress: @concurrent (_ done: Int64) async throws -> Void
    ) async throws -> BulkRehearsal {
        let (request, names) = try await resolved(asked, named, by: caller)
        try await check(request, names, by: caller)
        let now = self.now
        var digest = SelectionDigest()
        var rehearsal = BulkRehearsal()
        var told = ContinuousClock.now
        try await forEachSelected(request, names, at: now, by: caller) { found, missing in
            for name in missing {
                rehearsal.outcome.add(
                    .refused, name, limits: limits, Rejection.instanceNotFound(name).message)
            }
            for record in found where try await isMeant(record, by: request.action) {
                digest.add(record)
                try await rehearse(request, on: record, at: now, by: caller, &rehearsal)
            }
            if ContinuousClock.now - told > limits.progressInterval {
                told = .now
                try await progress(rehearsal.outcome.total)
            }
        }
        if case .undo(let undone, _) = request.action { rehearsal.outcome.countMissing(of: undone.changed ?? 0) }
        rehearsal.digest = digest.value
        rehearsal.selected = rehearsal.outcome.total
        try request.refuse(unless: rehearsal.digest, of: rehearsal.selected)
        return rehearsal
    }

    /// Does to one instance, in memory, what a run would do.
    func rehearse(
        _ request: BulkRequest, on record: InstanceRecord, at now: Timestamp, by caller: Caller,
        _ rehearsal: inout BulkRehearsal
    ) async throws(Rejection) {
        let name = record.name
        do throws(Rejection) {
            let preparation = try await prepare(request.action, on: record)
            if case .changed(let change) = preparation {
                rehearsal.outcome.add(.changed, name, limits: limits, change)
                return
            }
            guard
                let result = try await result(
                    of: request, on: record, preparation, at: now, by: caller, &rehearsal.targets)
            else {
                rehearsal.outcome.add(.done, name, limits: limits, nil)
                return
            }
            let fails = result.status == .failed && request.action.hasFailed(from: result.fromSeq, to: result.seq)
            rehearsal.outcome.add(
                fails ? .failed : .done, name, limits: limits, fails ? "it would fail" : nil)
            if !fails { rehearsal.add(result, at: now, limits: limits) }
        } catch {
            if error.code.isOfDaemon { throw error }
            rehearsal.outcome.add(request.action.outcome(of: error), name, limits: limits, error.message)
            rehearsal.add(error.misfits ?? [], limits: limits)
        }
    }

    /// What a run would do to an instance as it is stored; nil of what leaves it in no state.
    private func result(
        of request: BulkRequest, on record: InstanceRecord, _ preparation: BulkPreparation, at now: Timestamp,
        by caller: Caller, _ targets: inout [MachineID: LoadedMachine]
    ) async throws(Rejection) -> SendResult? {
        let name = record.name
        let loaded = try await loadedMachine(record.machineID)
        let state = try InstanceState(record: record, loaded: loaded)
        if request.action.needsMachine, let suspension = library.board.suspension(of: loaded.record.key) {
            throw .machineSuspended(state.facts, suspension)
        }
        switch request.action {
        case .repair(let verb):
            return try await rehearse(request.repair(name, verb, by: caller), on: state, at: now)
        case .send(let event, let data):
            var command = request.send(event, data, to: name, by: caller)
            command.isDryRun = true
            return try command.rehearse(on: state, at: now)
        case .migrate(let version, let plan, let retries):
            let target: LoadedMachine
            if let known = targets[loaded.record.id] {
                target = known
            } else {
                let new = try await machine(named: loaded.record.name, version: version, by: caller)
                target = try await loadedMachine(new.id)
                targets[loaded.record.id] = target
            }
            if target.record.id == loaded.record.id { throw .sameVersion(loaded.record.version, state.facts) }
            var command = request.migration(of: name, to: version, plan, retries: retries, by: caller)
            command.isDryRun = true
            let migration = try library.migration(plan, from: loaded, to: target)
            return try command.rehearse(on: state, by: migration, to: target, at: now)
        case .undo(let undone, _) where undone.undoingKind == .resumed:
            guard case .last = preparation else { return nil }
            return try await rehearse(request.repair(name, .resume, by: caller), on: state, at: now)
        case .reset, .undo:
            guard var command = request.reset(name, preparation, by: caller) else { return nil }
            command.isDryRun = true
            return try command.rehearse(on: state, at: now)
        case .delete(let cancelsEffects):
            var command = DeleteCommand(
                instance: name, cancelsEffects: cancelsEffects, reason: request.reason, isDryRun: true, by: caller)
            if case .look(let look) = preparation { command.look = look }
            _ = try await queue.submit(command)
            return nil
        case .redact(let paths):
            var command = RedactCommand(
                instance: name, paths: paths, reason: request.reason ?? "", isDryRun: true, by: caller)
            if case .found(let found) = preparation { command.found = found }
            _ = try await queue.submit(command)
            return nil
        }
    }

    private func rehearse(
        _ command: RepairCommand, on state: borrowing InstanceState, at now: Timestamp
    ) async throws(Rejection) -> SendResult {
        let ids = state.record.status == .running ? [] : state.effects
        let waiting = ids.isEmpty ? [] : try await read { () async throws(StoreError) in try await store.effects(ids) }
        var command = command
        command.isDryRun = true
        return try command.rehearse(on: state, waiting, at: now)
    }
}
