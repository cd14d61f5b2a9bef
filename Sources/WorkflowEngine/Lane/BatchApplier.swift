import WorkflowStore

/// Applies commands in memory, on top of batches that are committed or being committed, and goes back when a batch is
/// not written. Used by the lane's thread only.
final class BatchApplier {
    private let store: any StoreWriter
    private let clock: any WallClock
    private let parts: BatchParts
    /// The prefetches of the store and of its view; `nil` if lookups take no round trip.
    private let prefetches: (alone: BatchPrefetch?, beside: BatchPrefetch?)
    /// The prefetch of the batch that began last.
    private(set) var prefetch: BatchPrefetch?
    /// The numbers as of the last sealed batch.
    private var numbers: StoreNumbers
    /// The number of commands in the last call that were not applied, because they wait.
    private(set) var postponed = 0
    /// The last batch number when recent instances were trimmed.
    private var lastTrimmed: UInt64 = 0

    /// - Parameters:
    ///   - partition: The partition in which the commands apply.
    ///   - placement: The partitions of the store.
    init(
        store: any StoreWriter, partition: PartitionID, placement: Placement, clock: any WallClock,
        limits: EngineLimits, library: MachineLibrary, demand: MachineDemand, recent: WorkingSet, leases: LeaseTable,
        statistics: BatchStatistics
    ) {
        self.store = store
        self.clock = clock
        parts = BatchParts(
            limits: limits, placement: placement, library: library, demand: demand, recent: recent,
            brake: Brake(limits.brake, bound: limits.brakedInstances), leases: leases,
            share: BackgroundShare(limits: limits, statistics: statistics))
        prefetches = (
            BatchPrefetch(of: store, recent: recent, limits: limits),
            BatchPrefetch(of: store.view, recent: recent, limits: limits)
        )
        numbers = store.numbers(in: partition)
    }

    /// Begins a batch at the clock's time.
    ///
    /// - Parameter underWay: The batches being committed, the oldest first. While there are any, the store is read
    ///   through its view.
    func begin(after underWay: [BatchChanges]) -> BatchBuilder {
        prefetch = underWay.isEmpty ? prefetches.alone : prefetches.beside
        prefetch?.begin()
        return BatchBuilder(
            store: underWay.isEmpty ? store : store.view, after: underWay, numbers: numbers, parts: parts,
            now: clock.now())
    }

    /// Applies waiting commands, and commands that arrive meanwhile, while the batch has room. Returns the number of
    /// applied commands.
    ///
    /// - Parameters:
    ///   - queue: The source of further commands.
    ///   - awaited: The instances and machines that waiting commands name.
    ///   - isBesideCommit: True if other batches are being committed: beside them no command may take long.
    func apply(
        _ waiting: inout QueuedCommands, to builder: inout BatchBuilder, in order: inout FairOrder,
        from queue: CommandQueue, behind awaited: Set<CommandTarget>, isBesideCommit: Bool,
        since begin: ContinuousClock.Instant
    ) -> Int {
        var applied = 0
        postponed = 0
        var awaited = awaited
        // The number of commands that need no preparation before they are applied.
        var ready = 0
        // The time of round trips to the store, which is no time of applying.
        var reading = Duration.zero
        var (costAtLook, slicesAtLook) = (builder.cost, builder.slices)
        let (burning, inFront) = (order.burning, order.inFront)
        var hasOthers = false
        while applied == 0 || hasRoom(builder) {
            // The clock is not read after every command: reading it costs as much as part of a small step.
            if applied > 0,
                applied % 16 == 0 || builder.cost - costAtLook > 1_000 || builder.slices > slicesAtLook
            {
                (costAtLook, slicesAtLook) = (builder.cost, builder.slices)
                guard isOpen(builder, since: begin + reading) else { break }
            }
            // Commands that stood aside have a batch of their own.
            if inFront > 0, applied == inFront { break }
            if applied == ready {
                if applied == waiting.count {
                    let more = order.admit(queue.takeWaiting(with: builder.slices == 0 ? .any : .due))
                    if waiting.isEmpty { waiting = more } else { waiting += more }
                    // A command that arrived after the batch began has a later time than the batch.
                    builder.now = clock.now()
                }
                let start = ContinuousClock.now
                ready = read(waiting, from: applied, inFront: inFront)
                reading += .now - start
            }
            guard applied < waiting.count else { break }
            let entry = waiting[waiting.startIndex + applied]
            if entry.isLong, isBesideCommit { break }
            let costBefore = builder.cost
            applyOrPostpone(entry, to: &builder, behind: &awaited)
            applied += 1
            if !hasOthers, applied - postponed > builder.slices + builder.orders {
                hasOthers = true
                parts.share.othersCame(at: begin)
            }
            if builder.cost - costBefore > burning {
                order.burnt(entry.command, builder.cost - costBefore)
                break
            }
        }
        return applied
    }

    /// Reads at once the rows that the next commands look up. Returns the number of commands that are then ready,
    /// including those already applied.
    private func read(_ waiting: QueuedCommands, from applied: Int, inFront: Int) -> Int {
        guard let prefetch else { return waiting.count }
        return applied + prefetch.read(for: waiting.prefix(inFront > 0 ? inFront : .max).dropFirst(applied))
    }

    /// Applies a command, or postpones it until a machine version is compiled or an earlier waiting command is applied.
    private func applyOrPostpone(
        _ entry: any QueuedCommand, to builder: inout BatchBuilder, behind awaited: inout Set<CommandTarget>
    ) {
        if !awaited.isEmpty, entry.command.targets.contains(where: awaited.contains) {
            postponed += 1
            return entry.postpone(.behind)
        }
        parts.demand.hasMissed = false
        entry.apply(to: &builder)
        guard entry.rejection?.wait != nil else { return }
        if parts.demand.hasMissed { entry.waits += 1 }
        if parts.demand.hasMissed, entry.waits > parts.limits.waitsForMachines {
            // A command that needs more versions than stay compiled would otherwise wait for ever.
            parts.demand.isImmediate = true
            defer { parts.demand.isImmediate = false }
            return entry.apply(to: &builder)
        }
        postponed += 1
        awaited.formUnion(entry.command.targets)
    }

    /// Applies a command that has a batch of its own.
    func apply(_ entry: any QueuedCommand, to builder: inout BatchBuilder, behind awaited: Set<CommandTarget>) {
        _ = prefetch?.read(for: [entry])
        postponed = 0
        var awaited = awaited
        applyOrPostpone(entry, to: &builder, behind: &awaited)
    }

    /// Applies a command that waits for nothing.
    func applyAtOnce(_ entry: any QueuedCommand, to builder: inout BatchBuilder, compiling isImmediate: Bool) {
        _ = prefetch?.read(for: [entry])
        let wasImmediate = parts.demand.isImmediate
        if isImmediate { parts.demand.isImmediate = true }
        defer { parts.demand.isImmediate = wasImmediate }
        entry.apply(to: &builder)
    }

    /// Returns true if a batch has room and time for more.
    func isOpen(_ builder: BatchBuilder, since begin: ContinuousClock.Instant, share: Int = 1) -> Bool {
        hasRoom(builder, share: share) && ContinuousClock.now < begin + parts.limits.batchApplying / share
    }

    private func hasRoom(_ builder: BatchBuilder, share: Int = 1) -> Bool {
        builder.changes.rows < max(1, parts.limits.batchRows / share) && builder.bytes < parts.limits.batchBytes / share
    }

    /// Closes a batch. The next batch continues from its numbers.
    ///
    /// - Parameters:
    ///   - entered: The timers that are in the timer window already, by instance.
    ///   - sweep: The amount of deleted data that the batch removes.
    func seal(
        _ builder: inout BatchBuilder, fired: [InstanceID] = [], entered: [InstanceID: TimerKey],
        entries: QueuedCommands = [], sweep: SweepOrder? = nil
    ) -> SealedBatch {
        var batch = builder.batch()
        batch.sweep = sweep
        batch.base = numbers
        // A virtual clock's time is kept in the store only.
        if clock is VirtualClock { batch.numbers.last = max(batch.numbers.last, clock.now()) }
        if !batch.isEmpty {
            let limits = parts.limits
            batch.retention = KeyRetention(
                oldest: limits.keyAge.map { Timestamp(rawValue: builder.now.rawValue - $0) }, count: limits.keys,
                newest: Timestamp(rawValue: builder.now.rawValue - 60_000), rows: 2 * batch.journal.count + 64)
        }
        defer { numbers = batch.numbers }
        return SealedBatch(
            number: parts.counter.next(), batch: batch, isWritten: !batch.isEmpty || batch.numbers != numbers,
            changes: builder.changes, pending: builder.pending.filter { entered[$0.instance] != $0.key },
            notices: builder.notices, fired: fired, entries: entries)
    }

    /// Takes over a batch that is on disk.
    func adopt(_ sealed: SealedBatch) {
        parts.leases.adopt(sealed.batch)
        parts.recent.adopt(sealed.batch)
        // Instances that are not on disk must stay in memory.
        guard sealed.number > lastTrimmed else { return }
        parts.recent.trim()
        lastTrimmed = parts.counter.last
    }

    /// Goes back to the committed state. Nothing may be under way.
    func discard() {
        numbers = store.numbers(in: numbers.partition)
        parts.recent.forgetAll()
        parts.leases.restart()
    }

    /// Forgets the changes of a batch that is not sealed.
    func forget() {
        parts.recent.forgetAll()
    }
}

extension EngineLimits {
    /// The most times that one command, which may name many instances, waits for machine versions.
    fileprivate var waitsForMachines: Int { 100 }
}
