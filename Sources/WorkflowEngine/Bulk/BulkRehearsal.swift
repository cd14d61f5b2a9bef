package import Statechart
package import WorkflowStore

/// The result of trying a bulk run without writing anything.
package struct BulkRehearsal: Sendable {
    /// The digest of the selection: each instance and its seq.
    package var digest: Digest
    package var selected: Int64
    /// The outcomes that the instances would have.
    package var outcome = BulkOutcome()
    /// The instances that would be done, counted by where they would be afterwards.
    package var groups: [BulkPlace: BulkGroup] = [:]
    /// The number of invocations and calls that would begin, of those that a service would carry out again, and of
    /// invocations that would be cancelled.
    package private(set) var begun: Int64 = 0
    package private(set) var again: Int64 = 0
    package private(set) var cancelled: Int64 = 0
    /// The number of instances in places without a group, because there are too many places.
    package var others: Int64 = 0
    /// The misfits in another version, with the number of instances of each.
    package var misfits: [Misfit: Int64] = [:]
    /// The target versions of the versions found so far, by the ids of the latter.
    fileprivate var targets: [MachineID: LoadedMachine] = [:]

    /// Creates a rehearsal without instances.
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

/// The place of instances after a run's action.
package struct BulkPlace: Hashable, Sendable {
    /// The states before a migration and the states to which it leads, as paths of leaves; `nil` for all other actions.
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

/// The number of instances in a place, and the fates of their timers.
package struct BulkGroup: Sendable {
    package private(set) var count: Int64 = 0
    /// The number of timers and delayed events that continue.
    package private(set) var kept: Int64 = 0
    package private(set) var ended: Int64 = 0
    /// The number of timers that would be armed, by event.
    package private(set) var new: [String: Int64] = [:]
    /// The number of new timers that are due already.
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

/// Computes the digest of a selection incrementally.
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

    /// The digest of all added instances.
    var value: Digest {
        mutating get {
            flush()
            return digest.value
        }
    }
}

extension Engine {
    /// Reads the instances that a run would select, as they are on disk, in slices. The instances may change meanwhile.
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

    /// Applies a run's action to each selected instance in memory. Nothing is written.
    ///
    /// - Parameter progress: Called with the number of instances that were tried.
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

    /// Applies a run's action to one instance in memory.
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

    /// Returns the result of a run's action on an instance as it is stored; `nil` for an action that leaves the
    /// instance in no state.
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
            _ = try await answer(to: command)
            return nil
        case .redact(let paths):
            var command = RedactCommand(
                instance: name, paths: paths, reason: request.reason ?? "", isDryRun: true, by: caller)
            if case .found(let found) = preparation { command.found = found }
            _ = try await answer(to: command)
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
