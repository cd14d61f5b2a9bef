import Statechart
import WorkflowStore

/// A part of a bulk run: does as many instances as fit a batch, and writes the run's progress in the same batch.
struct BulkSliceCommand: Sendable {
    let key: BulkKey
    let request: BulkRequest
    /// The filter of the selection; `nil` if the instances are named.
    let filter: InstanceQuery?
    /// The instances of the run.
    let feed: BulkFeed
    /// The most instances that have their turn.
    let atMost: Int
    /// True if the instances are all of the run, and have their turn at once or not at all.
    let isTogether: Bool
    /// The problem of the next instance, which is not tried again; `nil` to try it.
    let fault: String?
    /// The bytes that the command holds while it waits.
    let size: Int

    /// The number of instances that are read at once.
    private static let readAtOnce = 64

    /// The result of a part.
    struct Answer: Sendable {
        /// The run as it is now; `nil` if it does not exist.
        let run: BulkRecord?
        /// The number of instances that had their turn.
        let count: Int
        /// True if other commands wait for the writer too, or did lately.
        let isShared: Bool
    }
}

extension BulkSliceCommand: WriterCommand {
    /// True also for a selection by the actor of a suspension, because the rows with this actor must be on disk.
    var isLong: Bool { request.action.isLong || request.isAtomic || request.isForSuspendedByMachine }
    var fillsBatch: Bool { !isLong && atMost > 1 }
    var isPart: Bool { true }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "run \(key.name)" }

    func want(_ rows: inout WantedRows) {
        for target in feed.next(after: .start, atMost: atMost).targets {
            rows.instances.insert(InstanceKey(target.instance, in: key.namespace))
        }
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        batch.slices += 1
        let begin = ContinuousClock.now
        let bound = batch.parts.share.bound(at: begin)
        // A batch takes one share, even if two parts wait.
        guard var run = try batch.run(key), run.state == .running, !bound.isShared || batch.slices == 1 else {
            return Answer(run: try batch.run(key), count: 0, isShared: bound.isShared)
        }
        let (targets, isEnd) = feed.next(after: run.mark, atMost: atMost)
        if isTogether {
            return Answer(
                run: try carryOutTogether(targets, of: run, in: &batch), count: targets.count,
                isShared: bound.isShared)
        }
        var outcome = BulkOutcome(run.outcome)
        var count = 0
        let (rows, cost, position) = (batch.changes.rows, batch.cost, batch.numbers.nextPosition)
        defer { batch.endReading() }
        for target in targets {
            if count > 0, batch.changes.rows - rows >= bound.rows || batch.cost - cost > batch.parts.limits.plainCost {
                break
            }
            if count % 8 == 7, ContinuousClock.now > begin + bound.time { break }
            if count % Self.readAtOnce == 0, !bound.isShared {
                batch.readTogether(targets.dropFirst(count).prefix(Self.readAtOnce).compactMap(\.id))
            }
            guard try carryOut(target, of: run, in: &batch, &outcome, isFirst: count == 0) else { break }
            count += 1
            run.mark = target.mark
        }
        // After the last instance, the erased data leaves the files before the run ends.
        let isDone = isEnd && count == targets.count && (count == 0 || request.action.erasure == nil)
        if count > 0, meetsVersions { outcome.trail.add(run.mark, at: position) }
        if isDone { outcome.countMissing(of: run.selected) }
        if count > 0 || isDone { write(outcome, of: &run, isDone: isDone, in: &batch) }
        return Answer(run: run, count: count, isShared: bound.isShared)
    }

    /// Applies the action to all instances, or to none if one of them is left out. The run then reports the instances
    /// that were left out.
    private func carryOutTogether(
        _ targets: ArraySlice<BulkTarget>, of begun: BulkRecord, in batch: inout BatchBuilder
    ) throws(Rejection) -> BulkRecord {
        // The changes of a failed attempt are dropped with this copy.
        var trial = batch.trial()
        defer { batch.cost = trial.cost }
        var run = begun
        var outcome = BulkOutcome()
        for target in targets { _ = try carryOut(target, of: run, in: &trial, &outcome, isFirst: true) }
        if outcome.left == 0 {
            batch = trial
        } else {
            outcome.leaveOut(.done)
        }
        if let last = targets.last { run.mark = last.mark }
        write(outcome, of: &run, isDone: outcome.left > 0 || request.action.erasure == nil, in: &batch)
        return run
    }

    private func write(
        _ outcome: BulkOutcome, of run: inout BulkRecord, isDone: Bool, in batch: inout BatchBuilder
    ) {
        run.updated = max(batch.now, run.begun)
        run.outcome = outcome.text
        run.selected = max(run.selected, outcome.total)
        if isDone {
            run.state = .done
            run.ended = run.updated
        }
        batch.changes.runs[key] = run
    }

    /// Applies the action to one instance. Returns false if the instance must have its turn later.
    private func carryOut(
        _ target: BulkTarget, of run: BulkRecord, in batch: inout BatchBuilder, _ outcome: inout BulkOutcome,
        isFirst: Bool
    ) throws(Rejection) -> Bool {
        let name = target.instance
        if let fault {
            outcome.add(.refused, name, limits: batch.parts.limits, fault)
            return true
        }
        do throws(Rejection) {
            if case .passedOver = target.preparation { return true }
            let instance = try batch.existing(InstanceKey(name, in: key.namespace))
            // Instances that were suspended otherwise are not selected and have no turn.
            if request.isForSuspendedByMachine, !(try batch.isSuspendedByMachine(instance)) { return true }
            if isElsewhere(instance.state, target) || hadTurn(instance.state, target, before: outcome.trail) {
                return true
            }
            if let change = change(of: instance.state, since: run, target) {
                outcome.add(.changed, name, limits: batch.parts.limits, change)
                return true
            }
            let caller = Caller(run.actor, namespace: key.namespace, role: .owner)
            let before = instance.state.record.seq
            let status = try request.carryOut(on: instance, target.preparation, in: &batch, run: key.name, by: caller)
            if status == nil {
                outcome.add(.changed, name, limits: batch.parts.limits, "it went on while it had its turn")
            } else if status == .failed, request.action.hasFailed(from: before, to: instance.state.record.seq) {
                outcome.add(.failed, name, limits: batch.parts.limits, instance.state.failure?.reason.message)
            } else {
                outcome.add(.done, name, limits: batch.parts.limits, nil)
            }
        } catch {
            if error.code.isOfDaemon {
                if isFirst { throw error }
                return false
            }
            if error.code == .instanceNotFound, filter != nil {
                // The instance was deleted or renamed since it was selected, so its name must not be reported.
                outcome.count(.changed)
            } else {
                outcome.add(request.action.outcome(of: error), name, limits: batch.parts.limits, error.lastingMessage)
            }
        }
        return true
    }

    /// True if instances of several versions are selected: a run may then find one instance in each.
    private var meetsVersions: Bool {
        if case .selection(let selection) = request.targets { selection.versions.count != 1 } else { false }
    }

    /// Returns true if an instance has migrated since it was read: it has its turn in the other version, or none.
    private func isElsewhere(_ state: borrowing InstanceState, _ target: BulkTarget) -> Bool {
        meetsVersions && state.record.id.rawValue == target.mark.number
            && state.record.machineID.rawValue != target.mark.machine
    }

    /// Returns true if an instance had its turn in another version already, as far as is known.
    private func hadTurn(
        _ state: borrowing InstanceState, _ target: BulkTarget, before trail: BulkTrail
    ) -> Bool {
        guard let crossing = target.crossing else { return false }
        // The instance went on before the earlier parts passed it, so it may have been back for one of them.
        if let head = crossing.head, head != state.record.head { return true }
        let id = state.record.id
        return crossing.stays.contains { trail.passed($0, of: id) }
    }

    /// Returns the reason why an instance is no longer selected; `nil` if it still is.
    private func change(of state: borrowing InstanceState, since run: BulkRecord, _ target: BulkTarget) -> String? {
        if case .changed(let change) = target.preparation { return change }
        if request.expect != nil, state.record.head >= run.floor {
            return "it has gone on since it was selected (seq \(state.record.seq.rawValue))"
        }
        guard let filter else {
            // Another instance may have taken the name.
            return request.instances.map { state.record.id >= $0 } ?? false
                ? "it was started after the run began" : nil
        }
        let error = filter.failures.isEmpty ? nil : InvocationError(state.snapshot.armed.kept?.data)
        let isSelected =
            state.record.machineID.rawValue == target.mark.machine && state.record.id.rawValue == target.mark.number
            && filter.takes(state.record.status)
            && filter.takes(
                configuration: state.configuration, entered: state.record.entered, failure: state.record.failure,
                error: error)
        return isSelected ? nil : "it is no longer selected (seq \(state.record.seq.rawValue))"
    }
}
