import Foundation
import Logging
import Statechart
import WorkflowStore

/// Owns the store's writing side: takes what waits, applies it in order in memory, writes it in one transaction, and
/// answers only then. It applies in the one partition that the writing side has.
///
/// Its thread applies. It also commits, unless half a batch or more waits already: then another thread commits while
/// this one applies the next batches on top of what is not committed yet, and what was applied meanwhile is committed
/// together. Until a batch is known to be on disk nothing of those behind it is told, refusals included; when it fails,
/// they are thrown away and applied again.
final class Lane {
    let store: any StoreWriter
    private let parts: LaneParts
    let applier: BatchApplier
    let demand: MachineDemand
    private let committer: BatchCommitter
    private let pipeline: CommitPipeline
    /// Backups, where the store makes them.
    private let backups: (orders: any BackupOrders, copying: any BackupCopying)?
    /// Which of what waits comes first.
    var order: FairOrder
    /// What was taken and is not under way, in the order in which it is applied.
    var waiting: QueuedCommands = []
    /// Those of them that were part of a batch that was split: each has one of its own, before all others.
    var apart: QueuedCommands = []
    /// The commands that wait for machine versions, and are in no batch.
    private var awaiting = AwaitingCommands()
    /// What was handed over to be committed and not taken over since.
    var state: PipelineState<SealedBatch>
    var window: TimerWindow
    let leases: LeaseTable
    /// When a batch had something else to do than to take away what was deleted.
    var lastBusy = ContinuousClock.now
    /// When the next batch takes some of that away although events come.
    var nextSweep = ContinuousClock.now
    /// What the batch that is being applied has entered into the window.
    var entered: [InstanceID: TimerKey] = [:]
    /// Timers wait after a batch of them was not written.
    var timersRest: ContinuousClock.Instant?
    /// After a batch of timers broke a constraint they fire one by one, in batches of their own, until the one to blame
    /// is found or none is due.
    var firesOneByOne = false
    /// Whether the last batch was one timer's own; commands that wait have their turn after it.
    private var firedOne = false
    /// Whether the part of a run that comes next was overtaken.
    private var isOvertaken = false
    /// Whether the queue counts commands that stand aside.
    private var isHoldingAside = false
    /// Timers that are due and wait for the machine versions of their instances.
    var asleep: [MachineID: [TimerHint]] = [:]
    /// True while expired leases and held effects wait for a machine version.
    var waitsForMachine = false
    /// Instances whose timers cannot be fired; a restart tries again.
    var broken: Set<InstanceID> = []

    /// - Parameter committer: Of the same store.
    init(store: any StoreWriter, committer: BatchCommitter, generation: Int64, parts: LaneParts) {
        let limits = parts.limits
        self.store = store
        self.parts = parts
        self.committer = committer
        backups = parts.backups.map { orders in
            // Proof: `Engine` asks for backups of a store that has them only.
            guard let copying = store.backups else { preconditionFailure("a store with backups copies for them") }
            return (orders, copying)
        }
        let recent = WorkingSet(bound: limits.cachedInstanceBytes)
        leases = LeaseTable(generation: generation, bound: limits.leases, board: parts.board)
        guard let partition = store.partitions.first, store.partitions.count == 1 else {
            // Proof: a lane is begun at start, with a store of ours; each has one partition.
            preconditionFailure("a lane applies in one partition")
        }
        demand = MachineDemand(parts.library, waking: parts.queue, limits: limits)
        // A virtual clock stands still while the lane works.
        demand.isImmediate = parts.clock is VirtualClock
        applier = BatchApplier(
            store: store, partition: partition, clock: parts.clock, limits: limits, library: parts.library,
            demand: demand, recent: recent, leases: leases, statistics: parts.statistics)
        pipeline = CommitPipeline(together: limits.batchesTogether) { committer.commit($0) }
        state = PipelineState(bound: limits.batchesUnderWay)
        order = FairOrder(limits: limits, recent: recent, isOn: !(parts.clock is VirtualClock))
        window = TimerWindow(of: partition, bound: limits.nearTimers)
    }

    var clock: any WallClock { parts.clock }
    var limits: EngineLimits { parts.limits }
    var statistics: BatchStatistics { parts.statistics }
    var health: WriteHealth { parts.health }
    var purging: PurgeWatch { parts.purging }
    var log: OperatorLog { parts.log }
    var logger: Logger { parts.logger }
    var runners: [EffectRunner] { parts.runners }
    private var library: MachineLibrary { parts.library }
    private var queue: CommandQueue { parts.queue }
    private var watch: QueueWatch { parts.watch }

    /// Runs until the queue is closed and drained. Throws when the store fails in a way that must end the daemon; every
    /// command that was taken has been answered by then.
    func run() throws(StoreError) {
        pipeline.open()
        defer {
            pipeline.close()
            health.rests()
        }
        health.turns()
        do throws(StoreError) {
            try library.board.load(from: store, limits: limits)
            try leases.board.load(from: store, limits: limits)
            if leases.board.isHeld {
                log.tell(
                    .queues, .warning, "effects are held: 'wfctl release' lets them start",
                    leases.board.holdReason.map { ["reason": "\($0)"] } ?? [:])
            }
            try resumeLeases()
            turns: while true {
                let wake = try nextWake()
                health.rests()
                let turn = queue.take(until: wake)
                health.turns()
                switch turn {
                case .commands(let taken):
                    waiting = taken[...]
                    if waiting.isEmpty, health.reason != nil { try committer.probe() }
                    try runBatches()
                case .moveClock(let request): try moveClock(for: request)
                case .end: break turns
                }
            }
        } catch {
            let rejection = Rejection.stopped(by: error)
            backups?.orders.close(rejection)
            abandonBackup()
            queue.close(rejection)
            for entry in apart + waiting + awaiting.takeAll() + order.takeAll() { entry.refuse(rejection) }
            queue.abandon(with: rejection)
            throw error
        }
        abandonBackup()
        try store.close()
    }

    /// Fires what is due and carries out what waits, and what comes meanwhile. Nothing is under way afterwards.
    private func runBatches() throws(StoreError) {
        repeat {
            health.turns()
            if apart.isEmpty { try runBatch() } else { try runApart() }
            // More of a backup to copy is no reason to wait for commands.
            if state.isIdle, let backups, backups.orders.advance(backups.copying) { queue.wake() }
        } while !apart.isEmpty || !waiting.isEmpty || !order.aside.isEmpty
        // An empty slice would hold all that it was a part of.
        waiting = []
        apart = []
    }

    /// Fires what is due and applies what fits one batch, and commits it or hands it over; what is not applied stays
    /// in `waiting`.
    private func runBatch() throws(StoreError) {
        takeCompiled()
        overtakePart()
        let turn = order.begin(&waiting)
        holdAside()
        let isTimersTurn = turn.takesTimers && (waiting.isEmpty || !firedOne)
        if mustSettle(firing: isTimersTurn) {
            guard try makeRoom() else { return }
        }
        var builder = applier.begin(after: state.batches.map(\.changes))
        builder.reserve(min(waiting.count, limits.batchRows))
        let begin = ContinuousClock.now
        let fired = isTimersTurn ? try fireDue(into: &builder, sharing: !waiting.isEmpty, since: begin).fired : []
        firedOne = firesOneByOne && !fired.isEmpty
        if isTimersTurn {
            expireLeases(into: &builder, since: begin)
            readyHeld(into: &builder, since: begin)
        }
        let applied =
            firedOne
            ? 0
            : applier.apply(
                &waiting, to: &builder, in: &order, from: queue, behind: awaiting.targets,
                isBesideCommit: !state.isIdle, since: begin)
        let taken = split(waiting.prefix(applied))
        guard try endView() else { return }
        if builder.slices > 0 { isOvertaken = false }
        // What comes next of a run is in the queue.
        if builder.slices > 0, applied == waiting.count { waiting += order.admit(queue.takeWaiting(with: .due)) }
        let sealed = seal(
            &builder, fired: fired, entries: taken.applied,
            sweep: sweepOrder(isBusy: applied > 0 || !fired.isEmpty))
        // What is applied on top of a batch does not know the names that it sets free.
        let isOverlapping = sealed.batch.purged.isEmpty && mayOverlap(with: waiting.dropFirst(applied))
        guard try makeRoom(isOverlapping: isOverlapping) else { return }
        waiting.removeFirst(applied)
        awaiting.add(taken.postponed)
        try commit(sealed, isOverlapping: isOverlapping)
    }

    /// Lets who came since then overtake the part of a run whose turn it is: once, or it would never come while more
    /// waits than a batch takes. Nobody overtakes what others wait for.
    private func overtakePart() {
        guard !isOvertaken, !waiting.isEmpty, waiting.allSatisfy(\.command.isPart) else { return }
        let more = order.admit(queue.takeWaiting(with: .none))
        isOvertaken = !more.isEmpty
        waiting = more + waiting
    }

    /// Carries out one command of a batch that was split, in a transaction of its own: when it is to blame, only it
    /// fails.
    private func runApart() throws(StoreError) {
        guard let entry = apart.popFirst() else { return }
        var builder = applier.begin(after: [])
        applier.apply(entry, to: &builder, behind: awaiting.targets)
        let taken = split([entry])
        awaiting.add(taken.postponed)
        try commit(seal(&builder, entries: taken.applied))
    }

    /// Splits the commands of the last batch into those that were applied and those that wait for machine versions.
    private func split(_ entries: QueuedCommands) -> (applied: QueuedCommands, postponed: [any QueuedCommand]) {
        if applier.postponed == 0 { return (entries, []) }
        return (entries.filter { $0.rejection?.wait == nil }[...], entries.filter { $0.rejection?.wait != nil })
    }

    /// Takes up what waited for machine versions that are compiled now, before everything that came later.
    private func takeCompiled() {
        let compiled = demand.takeFinished()
        if compiled.isEmpty { return }
        waiting = awaiting.release(compiled) + waiting
        wakeTimers(of: compiled)
    }

    /// Ends reading beside commits, before anything waits for these: they may wait for the view. False when something
    /// could not be read: it is read behind them, and what was applied is applied again.
    private func endView() throws(StoreError) -> Bool {
        if state.isIdle { return true }
        let hasFailed = store.view.hasFailed
        store.view.release()
        guard hasFailed else { return true }
        applier.forget()
        _ = try makeRoom()
        forgetTimers()
        return false
    }

    /// What stands aside waits still, and takes its room in the queue.
    private func holdAside() {
        if order.isIdle, awaiting.isEmpty, !isHoldingAside { return }
        isHoldingAside = !order.aside.isEmpty || !awaiting.isEmpty
        queue.hold(order.aside + awaiting.line)
    }

    /// Whether the batches under way must be on disk before the next is applied: what they armed is not in the window,
    /// and what is read beside them may not be read for long.
    private func mustSettle(firing isTimersTurn: Bool) -> Bool {
        if state.isIdle { return false }
        let firesNow = isTimersTurn && !areTimersResting && window.isDue(by: clock.now())
        return firesNow || waiting.first?.isLong ?? false
    }

    /// Whether so much waits that the next batch is worth applying while this one is committed. A backup needs the
    /// store between two batches.
    private func mayOverlap(with waiting: QueuedCommands) -> Bool {
        guard let next = waiting.first, !firedOne, !(backups?.orders.hasWork ?? false) else { return false }
        return waiting.count >= limits.batchRows / 2 || next.command.fillsBatch
    }

    private func moveClock(for request: ClockMoveRequest) throws(StoreError) {
        do throws(StoreError) {
            request.answered(try moveClock(to: request.target, stoppingAtTasks: request.stopsAtTasks))
        } catch {
            discard()
            request.answered(.failure(Rejection(error)))
            guard error.isUndone else { throw error }
        }
    }

    /// Answers commands that were taken from the queue but never applied.
    private func abandonBackup() {
        if let backups { backups.orders.abandon(backups.copying) }
    }
}

// MARK: From what was applied to what is on disk: `PipelineState` decides, the lane does it

extension Lane {
    /// Closes a batch.
    func seal(
        _ builder: inout BatchBuilder, fired: [InstanceID] = [], entries: QueuedCommands = [], sweep: SweepOrder? = nil
    ) -> SealedBatch {
        defer { entered = [:] }
        return applier.seal(&builder, fired: fired, entered: entered, entries: entries, sweep: sweep)
    }

    /// Waits until one more batch may be handed over, and takes over what has ended by then. False when a batch failed:
    /// nothing holds that was applied on top of it, and the commands of those behind it wait again.
    ///
    /// - Parameter isOverlapping: Whether the next is to be applied while that one is committed.
    func makeRoom(isOverlapping: Bool = false) throws(StoreError) -> Bool {
        while !state.isIdle, !state.hasRoom(isOverlapping: isOverlapping) || pipeline.hasEnding {
            guard try conclude(pipeline.end()) else { return false }
        }
        return true
    }

    /// Lets a batch be committed for which there is room, and whose commands wait no more.
    ///
    /// - Parameter isOverlapping: Whether to go on while it is committed.
    func commit(_ sealed: SealedBatch, isOverlapping: Bool = false) throws(StoreError) {
        state.handedOver(sealed, isDivisible: sealed.isDivisible)
        if isOverlapping {
            statistics.batchOverlapped()
            pipeline.begin(sealed)
        } else {
            _ = try conclude(committer.commit([sealed])[0])  // Proof: each batch has an ending
        }
    }

    /// Writes a batch for which no command waits.
    func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        health.turns()
        let sealed = seal(&builder)
        switch committer.commit([sealed])[0] {  // Proof: each batch has an ending
        case .committed: adopt(sealed)
        case .failed(let error), .last(let error):
            discard()
            throw error
        // Proof: only those behind another one are not tried.
        case .untried: preconditionFailure("nothing was under way")
        }
    }

    /// Takes over what the oldest batch made. False when it failed, and was recovered from.
    private func conclude(_ first: BatchEnding) throws(StoreError) -> Bool {
        var ending = first
        while true {
            switch state.ended(ending) {
            case .adopt(let sealed):
                adopt(sealed)
                return true
            case .awaitNext: ending = pipeline.end()
            case .recover(let recovery):
                try recover(recovery)
                return false
            }
        }
    }

    /// After batches that were not written.
    private func recover(_ recovery: PipelineState<SealedBatch>.Recovery) throws(StoreError) {
        pipeline.mend()
        discard()
        let again = recovery.again.flatMap(\.entries)
        // QueuedCommands commands are older than those in the queue, and keep their order among each other.
        waiting = again + awaiting.takeAll() + waiting
        if let (sealed, error) = recovery.split {
            blame(sealed.fired, for: error)
            apart = sealed.entries
        }
        for (sealed, error) in recovery.refused { refuse(sealed, error) }
        if let error = recovery.stop { throw error }
    }

    private func refuse(_ sealed: SealedBatch, _ error: StoreError) {
        if sealed.entries.isEmpty { timersRest = .now + limits.timerPause }
        log.tell(
            .batches, .error, "a batch was not written",
            ["commands": "\(sealed.entries.count)", "error": "\(error)"])
        for entry in sealed.entries { entry.refuse(.notCarriedOut(error)) }
    }

    /// Takes over what is on disk, and waits for what it armed.
    private func adopt(_ sealed: SealedBatch) {
        for hint in sealed.pending { window.insert(hint) }
        applier.adopt(sealed)
        watch.tell(leases.takeFreed())
    }

    /// Goes back to what is committed.
    func discard() {
        applier.discard()
        forgetTimers()
    }
}
