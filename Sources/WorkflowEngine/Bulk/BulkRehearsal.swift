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
    /// The work for the condition of the selection.
    package var examination = InstanceExamination()
    /// The misfits in another version, with the number of instances of each.
    package var misfits: [Misfit: Int64] = [:]

    /// Creates a rehearsal without instances.
    init() {
        digest = .zero
        selected = 0
    }

    /// Adds the turn of an instance.
    mutating func add(_ turn: BulkTurns.Turn, of instance: InstanceName, at now: Timestamp, limits: EngineLimits) {
        outcome.add(turn, of: instance, limits: limits, isStored: false)
        if let misfits = turn.rejection?.misfits { add(misfits, limits: limits) }
        if let result = turn.result { add(result, at: now, limits: limits) }
    }

    private mutating func add(_ result: SendResult, at now: Timestamp, limits: EngineLimits) {
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

    private mutating func add(_ misfits: [Misfit], limits: EngineLimits) {
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

/// A request that the engine can carry out or rehearse, with the names that it lists.
package struct CheckedBulkRequest: Sendable {
    let request: BulkRequest
    let names: [InstanceName]
}

extension Engine {
    /// Checks a request as a whole, before its instances are visited.
    package func checked(
        _ asked: BulkRequest, _ named: [InstanceName], by caller: Caller
    ) async throws(Rejection) -> CheckedBulkRequest {
        let (request, names) = try await resolved(asked, named, by: caller)
        try await check(request, names, by: caller)
        return CheckedBulkRequest(request: request, names: names)
    }

    /// Applies a run's action to each selected instance, in batches that are discarded. Each of them sees the committed
    /// data of its own moment.
    ///
    /// - Parameter progress: Called with the number of instances that were tried.
    @concurrent package func rehearse(
        _ checked: CheckedBulkRequest, by caller: Caller,
        _ progress: @concurrent (_ done: Int64) async throws -> Void
    ) async throws -> BulkRehearsal {
        let (request, names) = (checked.request, checked.names)
        let now = self.now
        var digest = SelectionDigest()
        var rehearsal = BulkRehearsal()
        var told = ContinuousClock.now
        let turns = try BulkTurns(request, at: now, in: caller.namespace)
        rehearsal.examination = try await forEachSelected(BulkWalk(turns: turns, names: .given(names))) { met in
            try await rehearse(met, turns, by: caller) { met, turn in
                if let record = met.record { digest.add(record) }
                if let turn { rehearsal.add(turn, of: met.instance, at: now, limits: limits) }
            }
            if ContinuousClock.now - told > limits.progressInterval {
                told = .now
                try await progress(rehearsal.outcome.total)
            }
        }
        if let undo = request.action.undo { rehearsal.outcome.countMissing(of: undo.changed ?? 0) }
        rehearsal.digest = digest.value
        rehearsal.selected = rehearsal.outcome.total
        try request.refuse(unless: rehearsal.digest, of: rehearsal.selected)
        return rehearsal
    }

    /// Gives instances their turns in batches that are discarded, each after a few milliseconds.
    ///
    /// - Parameter body: Called with each instance that is the run's, and its turn; `nil` if it has none.
    func rehearse(
        _ met: [BulkWalk.Met], _ turns: BulkTurns, by caller: Caller,
        _ body: (BulkWalk.Met, BulkTurns.Turn?) -> Void
    ) async throws(Rejection) {
        for partition in store.partitions {
            let some = placement.hasOne ? met : met.filter { placement.partition(of: $0, turns) == partition }
            if !some.isEmpty { try await rehearse(some, in: partition, turns, by: caller, body) }
        }
    }

    private func rehearse(
        _ met: [BulkWalk.Met], in partition: PartitionID, _ turns: BulkTurns, by caller: Caller,
        _ body: (BulkWalk.Met, BulkTurns.Turn?) -> Void
    ) async throws(Rejection) {
        var turns = turns
        // A rehearsal meets an instance whatever has come since.
        turns.request.expect = nil
        let order = BulkOrder(reason: turns.request.reason, run: nil, caller: caller)
        var rest: ArraySlice<(met: BulkWalk.Met, target: BulkTarget)> = []
        for met in met {
            var target = BulkTarget(met)
            if let record = met.record {
                target.preparation = try await prepare(record, for: order, turns.request.action)
            }
            if case .passedOver = target.preparation { continue }
            rest.append((met, target))
        }
        while !rest.isEmpty {
            let targets = rest.map(\.target)
            let taken = try await trial(in: partition) { [turns, limits] (batch) throws(Rejection) in
                var taken: [BulkTurns.Turn?] = []
                let end = ContinuousClock.now + limits.batchApplying
                for target in targets where taken.isEmpty || ContinuousClock.now < end {
                    taken.append(
                        try turns.take(target, since: batch.numbers.nextPosition, before: BulkTrail(), in: &batch))
                }
                return taken
            }
            for (turn, entry) in zip(taken, rest) { body(entry.met, turn) }
            rest = rest.dropFirst(taken.count)
        }
    }
}

extension Placement {
    fileprivate func partition(of met: BulkWalk.Met, _ turns: BulkTurns) -> PartitionID {
        met.record?.id.partition ?? partition(of: InstanceKey(met.instance, in: turns.namespace))
    }
}
