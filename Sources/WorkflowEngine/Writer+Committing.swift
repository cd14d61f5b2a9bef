import Logging
import Statechart
import WorkflowStore

/// A batch to which nothing is added any more, and everything that is to be told when it is on disk.
final class SealedBatch {
    let batch: StoreBatch
    /// Whether there is anything to write.
    let isWritten: Bool
    /// What later commands are applied on top of.
    let result: Provisional
    /// When it was applied.
    let now: Timestamp
    /// The instances whose timers fired.
    let fired: [InstanceID]
    /// What it entered into the timers' window.
    let entered: [InstanceID: TimerKey]
    let entries: Writer.Waiting
    /// Of the entries, in their order.
    let answers: [Result<Answer, Rejection>]

    init(
        batch: StoreBatch, isWritten: Bool, result: Provisional, now: Timestamp, fired: [InstanceID],
        entered: [InstanceID: TimerKey], entries: Writer.Waiting, answers: [Result<Answer, Rejection>]
    ) {
        self.batch = batch
        self.isWritten = isWritten
        self.result = result
        self.now = now
        self.fired = fired
        self.entered = entered
        self.entries = entries
        self.answers = answers
    }
}

/// What became of a batch.
enum BatchEnding {
    /// It is on disk, and who waited was told.
    case committed
    /// Nobody was told.
    case failed(StoreError)
    /// It is on disk, and who waited was told, but nothing more may be written.
    case last(StoreError)
}

// From what was applied to what is on disk.

extension Writer {
    /// Closes a batch. The next one goes on from its numbers.
    func seal(
        _ builder: inout BatchBuilder, fired: [InstanceID] = [], entries: Waiting = [],
        answers: [Result<Answer, Rejection>] = []
    ) -> SealedBatch {
        var batch = builder.batch()
        batch.base = numbers
        // What a virtual clock shows is in the store only.
        if clock is VirtualClock { batch.numbers.last = max(batch.numbers.last, clock.now()) }
        if !batch.isEmpty {
            batch.retention = KeyRetention(
                oldest: limits.keyAge.map { Timestamp(rawValue: builder.now.rawValue - $0) }, count: limits.keys,
                newest: Timestamp(rawValue: builder.now.rawValue - 60_000), rows: 2 * batch.journal.count + 64)
        }
        defer {
            numbers = batch.numbers
            entered = [:]
        }
        return SealedBatch(
            batch: batch, isWritten: !batch.isEmpty || batch.numbers != numbers, result: builder.result,
            now: builder.now, fired: fired, entered: entered, entries: entries,
            answers: answers)
    }

    /// Makes a batch durable and tells who waits. Runs on either thread; touches the store, and what has locks.
    func write(_ sealed: SealedBatch) -> BatchEnding {
        do throws(StoreError) {
            if sealed.isWritten { try store.commit(sealed.batch) }
        } catch {
            return .failed(error)
        }
        if !sealed.batch.isEmpty { statistics.batchCommitted(rows: sealed.batch.journal.count) }
        for machine in sealed.result.machines { library.keep(machine) }
        feed.committed { sealed.result.instances.changed }
        for (entry, answer) in zip(sealed.entries, sealed.answers) { entry.reply(answer) }
        do throws(StoreError) {
            try store.maintain()
        } catch {
            return .last(error)
        }
        return .committed
    }

    /// Writes a batch for which no command waits.
    func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        let sealed = seal(&builder)
        switch write(sealed) {
        case .committed: adopt(sealed)
        case .failed(let error), .last(let error):
            discard()
            throw error
        }
    }

    /// Waits for the batch that is under way and takes it over. False when it failed: nothing holds that was applied on
    /// top of it.
    func settle() throws(StoreError) -> Bool {
        let sealed = underWay
        guard try join() else { return false }
        if let sealed { adopt(sealed) }
        return true
    }

    /// Waits for the batch that is under way; `adopt` is to follow. False when it failed.
    func join() throws(StoreError) -> Bool {
        guard let sealed = underWay else { return true }
        let ending = committing.end()
        underWay = nil
        return try judge(sealed, ending)
    }

    /// Takes over what a batch made, or throws it away. False when it failed.
    func conclude(_ sealed: SealedBatch, _ ending: BatchEnding) throws(StoreError) -> Bool {
        guard try judge(sealed, ending) else { return false }
        adopt(sealed)
        return true
    }

    private func judge(_ sealed: SealedBatch, _ ending: BatchEnding) throws(StoreError) -> Bool {
        switch ending {
        case .committed: return true
        case .last(let error): throw error
        case .failed(let error):
            discard()
            try recover(sealed, from: error)
            return false
        }
    }

    /// Keeps what a batch on disk made of its instances.
    func adopt(_ sealed: SealedBatch) {
        for instance in sealed.result.instances.list.lazy.map(\.instance) {
            recent.keep(instance)
            guard instance.hasTimers, let key = instance.nextKey else { continue }
            if sealed.entered[instance.record.id] != key {
                window.insert(key, of: instance.record.id, turn: instance.comesAtOnce ? sealed.now : nil)
            }
        }
    }

    /// Goes back to what is committed.
    private func discard() {
        numbers = store.numbers
        forgetTimers()
    }

    /// After a commit that failed: what it held is gone from memory too, because only a commit puts it into the cache.
    private func recover(_ sealed: SealedBatch, from error: StoreError) throws(StoreError) {
        if error.code == .constraint, !sealed.fired.isEmpty || sealed.entries.count > 1 {
            blame(sealed.fired, for: error)
            return try runEachAlone(sealed.entries)
        }
        if sealed.entries.isEmpty { timersRest = .now + limits.timerPause }
        logger.error(
            "a batch was not written", metadata: ["commands": "\(sealed.entries.count)", "error": "\(error)"])
        for entry in sealed.entries { entry.reply(.failure(Rejection(error))) }
        guard error.code == .unavailable || error.code == .constraint else { throw error }
    }

    /// Gives each command of a batch a transaction of its own, so that only the one that is to blame fails.
    private func runEachAlone(_ entries: Waiting) throws(StoreError) {
        var rest = entries
        while let entry = rest.popFirst() {
            var alone = [entry][...]
            do throws(StoreError) {
                try runBatch(&alone, isAlone: true)
            } catch {
                abandon(alone + rest)
                throw error
            }
        }
    }
}
