import Statechart
import WorkflowStore

/// A part of a bulk run: does as many instances as fit a batch, and writes the run's progress in the same batch.
struct BulkSliceCommand: Sendable {
    let key: BulkKey
    let turns: BulkTurns
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
    /// True if data is erased, which is read as it is on disk. True also for a selection by the actor of a suspension,
    /// because the rows with this actor must be on disk.
    var isLong: Bool { turns.request.erasure != nil || turns.request.isAtomic || turns.request.isForSuspendedByMachine }
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
            do throws(Rejection) {
                try give(target, of: run, in: &batch, &outcome)
            } catch {
                // The instance has its turn later.
                if count == 0 { throw error }
                break
            }
            count += 1
            run.mark = target.mark
        }
        // After the last instance, the erased data leaves the files before the run ends.
        let isDone = isEnd && count == targets.count && (count == 0 || turns.request.erasure == nil)
        if count > 0, turns.meetsVersions { outcome.trail.add(run.mark, at: position) }
        if isDone, batch.parts.placement.hasOne { outcome.countMissing(of: run.selected) }
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
        for target in targets { try give(target, of: run, in: &trial, &outcome) }
        if outcome.left == 0 {
            batch = trial
        } else {
            outcome.leaveOut(.done)
        }
        if let last = targets.last { run.mark = last.mark }
        write(outcome, of: &run, isDone: outcome.left > 0 || turns.request.erasure == nil, in: &batch)
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

    /// Gives one instance its turn.
    private func give(
        _ target: BulkTarget, of run: BulkRecord, in batch: inout BatchBuilder, _ outcome: inout BulkOutcome
    ) throws(Rejection) {
        let limits = batch.parts.limits
        if let fault {
            outcome.add(.refused, target.instance, limits: limits, fault)
        } else if let turn = try turns.take(target, since: run.floor, before: outcome.trail, in: &batch) {
            outcome.add(turn, of: target.instance, limits: limits)
        }
    }
}
