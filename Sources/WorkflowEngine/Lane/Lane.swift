import Foundation
import Logging
import Statechart
import WorkflowStore

/// Owns the store's writing side: takes waiting commands, applies them in order in memory, writes them in one
/// transaction, and only then answers. A lane works in one partition, beside the lanes of the others.
///
/// The lane's thread applies batches. The same thread commits the batches, unless at least half a batch waits already.
/// In this case the pipeline's thread commits while the lane applies the next batches on top of uncommitted ones, which
/// are then committed together. Until a batch is on disk, nothing of later batches is reported, refusals included. When
/// a batch fails, the later batches are discarded and applied again.
final class Lane {
    let store: any StoreWriter
    private let parts: LaneParts
    let limits: EngineLimits
    let applier: BatchApplier
    let demand: MachineDemand
    let committer: BatchCommitter
    private let pipeline: CommitPipeline
    /// The backups; `nil` if the store makes none.
    private let backups: (orders: any BackupOrders, copying: any BackupCopying)?
    /// The order in which waiting commands come.
    var order: FairOrder
    /// The commands that were taken from the queue and are not under way, in the order in which they are applied.
    var waiting: QueuedCommands = []
    /// The commands of a batch that was split: each gets a batch of its own, before all others.
    var apart: QueuedCommands = []
    /// The commands that wait for machine versions and are in no batch.
    private var awaiting = AwaitingCommands()
    /// The batches that were handed over for commit and not yet taken over.
    var state: PipelineState<SealedBatch>
    var window: TimerWindow
    let leases: LeaseTable
    /// The last time when a batch had other work than removing deleted data.
    var lastBusy = ContinuousClock.now
    /// The time from which a batch removes some deleted data even while events come.
    var nextSweep = ContinuousClock.now
    /// The timers that the current batch has entered into the window.
    var entered: [InstanceID: TimerKey] = [:]
    /// The end of the pause in which timers wait after a batch of them was not written.
    var timersRest: ContinuousClock.Instant?
    /// True after a batch of timers broke a constraint. Timers then fire one by one, in batches of their own, until the
    /// faulty one is found or none is due.
    var firesOneByOne = false
    /// True if the last batch was a single timer's; waiting commands come next.
    private var firedOne = false
    /// True if the next part of a bulk run was overtaken.
    private var isOvertaken = false
    /// True if the queue counts commands that stand aside.
    private var isHoldingAside = false
    /// The due timers that wait for the machine versions of their instances.
    var asleep: [MachineID: [TimerHint]] = [:]
    /// True while expired leases and held effects wait for a machine version.
    var waitsForMachine = false
    /// The instances whose timers cannot be fired; a restart tries again.
    var broken: Set<InstanceID> = []

    /// - Parameter committer: A committer of the same store.
    init(store: any StoreWriter, committer: BatchCommitter, generation: Int64, parts: LaneParts) {
        limits = parts.limits
        self.store = store
        self.parts = parts
        self.committer = committer
        backups = parts.backups.map { orders in
            // Proof: `Engine` asks for backups only if the store has them.
            guard let copying = store.backups else { preconditionFailure("a store with backups copies for them") }
            return (orders, copying)
        }
        let recent = WorkingSet(bound: limits.cachedInstanceBytes)
        leases = LeaseTable(
            of: parts.partition, generation: generation, bound: limits.leases, board: parts.board)
        demand = MachineDemand(parts.library, waking: parts.queue, limits: limits)
        // A virtual clock stands still while the lane works.
        demand.isImmediate = parts.clock is VirtualClock
        applier = BatchApplier(
            store: store, partition: parts.partition, placement: parts.placement, clock: parts.clock, limits: limits,
            library: parts.library, demand: demand, recent: recent, leases: leases, statistics: parts.statistics)
        pipeline = CommitPipeline(together: limits.batchesTogether) { committer.commit($0) }
        state = PipelineState(bound: limits.batchesUnderWay)
        order = FairOrder(limits: limits, recent: recent, isOn: !(parts.clock is VirtualClock))
        window = TimerWindow(of: parts.partition, bound: limits.nearTimers)
    }

    var partition: PartitionID { parts.partition }
    var clock: any WallClock { parts.clock }
    var statistics: BatchStatistics { parts.statistics }
    var health: WriteHealth { parts.health }
    var purging: PurgeWatch { parts.purging }
    var log: OperatorLog { parts.log }
    var logger: Logger { parts.logger }
    var runners: [EffectRunner] { parts.runners }
    private var library: MachineLibrary { parts.library }
    private var queue: CommandQueue { parts.queue }
    private var watch: QueueWatch { parts.watch }

    /// Runs until the queue is closed and drained. Throws when the store fails in a way that must end the daemon; by
    /// then every taken command has been answered.
    func run() throws(StoreError) {
        pipeline.open()
        defer {
            pipeline.close()
            health.rests()
        }
        health.turns()
        do throws(StoreError) {
            try parts.opening.load { () throws(StoreError) in try loadSettings() }
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

    private func loadSettings() throws(StoreError) {
        try library.board.load(from: store, limits: limits)
        try leases.board.load(from: store, limits: limits)
        guard leases.board.isHeld else { return }
        log.tell(
            .queues, .warning, "effects are held: 'wfctl release' lets them start",
            leases.board.holdReason.map { ["reason": "\($0)"] } ?? [:])
    }

    /// Fires due timers and carries out the waiting commands and those that come meanwhile. Nothing is under way
    /// afterwards.
    private func runBatches() throws(StoreError) {
        repeat {
            health.turns()
            while let meeting = queue.takeInvitation() as? LaneMeeting { try attend(meeting) }
            if apart.isEmpty { try runBatch() } else { try runApart() }
            // A backup with more to copy does not wait for commands.
            if state.isIdle, let backups, backups.orders.advance(backups.copying) { queue.wake() }
        } while !apart.isEmpty || !waiting.isEmpty || !order.aside.isEmpty
        // An empty slice would retain the storage of the whole array.
        waiting = []
        apart = []
    }

    /// Fires due timers, applies the commands that fit one batch, and commits the batch or hands it over. Commands that
    /// were not applied stay in `waiting`.
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
        // The next part of a bulk run is in the queue.
        if builder.slices > 0, applied == waiting.count { waiting += order.admit(queue.takeWaiting(with: .due)) }
        let sealed = seal(
            &builder, fired: fired, entries: taken.applied,
            sweep: sweepOrder(isBusy: applied > 0 || !fired.isEmpty))
        // A batch applied on top of this one does not see the names that this one frees.
        let isOverlapping = sealed.batch.purged.isEmpty && mayOverlap(with: waiting.dropFirst(applied))
        guard try makeRoom(isOverlapping: isOverlapping) else { return }
        waiting.removeFirst(applied)
        awaiting.add(taken.postponed)
        try commit(sealed, isOverlapping: isOverlapping)
    }

    /// Lets newer commands overtake the part of a bulk run whose turn it is, but only once. Otherwise the part would
    /// never come while more commands wait than a batch takes. Nothing overtakes a part that others wait for.
    private func overtakePart() {
        guard !isOvertaken, !waiting.isEmpty, waiting.allSatisfy(\.command.isPart) else { return }
        let more = order.admit(queue.takeWaiting(with: .none))
        isOvertaken = !more.isEmpty
        waiting = more + waiting
    }

    /// Carries out one command of a batch that was split, in its own transaction, so that a faulty command fails alone.
    private func runApart() throws(StoreError) {
        guard let entry = apart.popFirst() else { return }
        var builder = applier.begin(after: [])
        applier.apply(entry, to: &builder, behind: awaiting.targets)
        let taken = split([entry])
        awaiting.add(taken.postponed)
        try commit(seal(&builder, entries: taken.applied), isApart: true)
    }

    /// Splits the commands of the last batch into those that were applied and those that wait for machine versions.
    private func split(_ entries: QueuedCommands) -> (applied: QueuedCommands, postponed: [any QueuedCommand]) {
        if applier.postponed == 0 { return (entries, []) }
        return (entries.filter { $0.rejection?.wait == nil }[...], entries.filter { $0.rejection?.wait != nil })
    }

    /// Takes up the commands that waited for newly compiled machine versions, before everything that came later.
    private func takeCompiled() {
        let compiled = demand.takeFinished()
        if compiled.isEmpty { return }
        waiting = awaiting.release(compiled) + waiting
        wakeTimers(of: compiled)
    }

    /// Ends reading beside commits before anything waits for these commits, which may wait for the view. Returns false
    /// if a read failed: the batches under way are awaited, and the discarded commands are applied again.
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

    /// Keeps counting postponed commands in the queue's bounds, because they still wait.
    private func holdAside() {
        if order.isIdle, awaiting.isEmpty, !isHoldingAside { return }
        isHoldingAside = !order.aside.isEmpty || !awaiting.isEmpty
        queue.hold(order.aside + awaiting.line)
    }

    /// Returns true if the batches under way must be on disk before the next is applied. The window lacks the timers
    /// that they armed, and reads beside them must be short.
    private func mustSettle(firing isTimersTurn: Bool) -> Bool {
        if state.isIdle { return false }
        let firesNow = isTimersTurn && !areTimersResting && window.isDue(by: clock.now())
        return firesNow || waiting.first?.isLong ?? false
    }

    /// Returns true if enough commands wait to apply the next batch while this one is committed. A backup needs the
    /// store between two batches.
    private func mayOverlap(with waiting: QueuedCommands) -> Bool {
        guard let next = waiting.first, !firedOne, !(backups?.orders.hasWork ?? false) else { return false }
        return waiting.count >= limits.batchRows / 2 || next.command.fillsBatch
    }

    private func moveClock(for request: ClockMoveRequest) throws(StoreError) {
        do throws(StoreError) {
            request.answered(
                try moveClock(to: request.target, stoppingAtTasks: request.stopsAtTasks, by: request.caller))
        } catch {
            discard()
            request.answered(.failure(Rejection(error)))
            guard error.isUndone else { throw error }
        }
    }

    /// Gives up a backup that is not complete.
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

    /// Waits until one more batch may be handed over, and takes over the batches that have ended by then. Returns false
    /// if a batch failed: the batches applied on top of it are discarded, and their commands wait again.
    ///
    /// - Parameter isOverlapping: True to apply the next batch while that one is committed.
    func makeRoom(isOverlapping: Bool = false) throws(StoreError) -> Bool {
        while !state.isIdle, !state.hasRoom(isOverlapping: isOverlapping) || pipeline.hasEnding {
            guard try conclude(pipeline.end()) else { return false }
        }
        return true
    }

    /// Waits until nothing is under way.
    func settle() throws(StoreError) {
        while !state.isIdle { _ = try conclude(pipeline.end()) }
    }

    /// Commits a batch for which there is room, and whose commands are no longer in `waiting`.
    ///
    /// - Parameters:
    ///   - isOverlapping: True to continue while the batch is committed.
    ///   - isApart: True for a command of a batch that was split.
    func commit(_ sealed: SealedBatch, isOverlapping: Bool = false, isApart: Bool = false) throws(StoreError) {
        // Another lane may have used a key of this batch meanwhile. The command finds the key when it is applied again.
        let isWorthRepeating = !isApart && !parts.placement.hasOne && !sealed.entries.isEmpty
        state.handedOver(sealed, isDivisible: sealed.isDivisible || isWorthRepeating)
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

    /// Takes over the results of the oldest batch. Returns false if the batch failed and the lane has recovered.
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

    /// Recovers after batches that were not written.
    private func recover(_ recovery: PipelineState<SealedBatch>.Recovery) throws(StoreError) {
        pipeline.mend()
        discard()
        let again = recovery.again.flatMap(\.entries)
        // The batches' commands are older than those in the queue, and keep their order among each other.
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

    /// Takes over a batch that is on disk, and enters the timers that it armed.
    func adopt(_ sealed: SealedBatch) {
        for hint in sealed.pending { window.insert(hint) }
        applier.adopt(sealed)
        watch.tell(leases.takeFreed())
    }

    /// Goes back to the committed state.
    func discard() {
        applier.discard()
        forgetTimers()
    }
}
