import Logging
import Statechart
import Threads
import WorkflowStore

/// A batch to which nothing is added any more, and everything that is to be told when it is on disk.
final class SealedBatch {
    /// Rises from batch to batch.
    let number: UInt64
    let batch: StoreBatch
    /// Whether there is anything to write.
    let isWritten: Bool
    /// What later commands are applied on top of.
    let result: Provisional
    /// The instances that it read or changed. Later batches change them further.
    let instances: [LiveInstance]
    /// When it was applied.
    let now: Timestamp
    /// What is told when it is on disk.
    let notices: [Notice]
    /// The instances whose timers fired.
    let fired: [InstanceID]
    /// What it entered into the timers' window.
    let entered: [InstanceID: TimerKey]
    let entries: Writer.Waiting
    /// Of the entries, in their order.
    let answers: [Result<Answer, Rejection>]

    init(
        number: UInt64, batch: StoreBatch, isWritten: Bool, result: Provisional, instances: [LiveInstance],
        now: Timestamp, notices: [Notice], fired: [InstanceID],
        entered: [InstanceID: TimerKey], entries: Writer.Waiting, answers: [Result<Answer, Rejection>]
    ) {
        self.number = number
        self.batch = batch
        self.isWritten = isWritten
        self.result = result
        self.instances = instances
        self.now = now
        self.notices = notices
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
    /// Nobody was told. It may have been written together with others, which have failed with it.
    case failed(StoreError)
    /// It is on disk, and who waited was told, but nothing more may be written.
    case last(StoreError)
    /// One before it was not written.
    case untried
}

// From what was applied to what is on disk.

extension Writer {
    /// Tries whether the store can be written to again: the same row and flush as for every batch, and nothing new.
    func probe() throws(StoreError) {
        do throws(StoreError) {
            try store.probe()
        } catch {
            guard error.isUndone else { throw error }
            return health.failed(error.message)
        }
        if health.succeeded() { logger.notice("the database is written to again") }
    }

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
        lastNumber += 1
        return SealedBatch(
            number: lastNumber, batch: batch, isWritten: !batch.isEmpty || batch.numbers != numbers,
            result: builder.result,
            instances: builder.instances, now: builder.now, notices: builder.notices, fired: fired, entered: entered,
            entries: entries,
            answers: answers)
    }

    /// Makes batches durable in one transaction and tells who waits. Runs on either thread; touches the store, and what
    /// has locks.
    func write(_ sealed: [SealedBatch]) -> [BatchEnding] {
        SharedCores.ofProcess.eventsCame()
        do throws(StoreError) {
            let batches = sealed.filter(\.isWritten).map(\.batch)
            if !batches.isEmpty {
                try store.commit(batches)
                if health.succeeded() { logger.notice("the database is written to again") }
            }
        } catch {
            if error.code == .unavailable { health.failed(error.message) }
            return sealed.count > 1 && error.code == .constraint
                ? writeEachAlone(sealed, because: error) : sealed.map { _ in .failed(error) }
        }
        statistics.committed(sealed.lazy.map(\.batch).filter { !$0.isEmpty }.map(\.journal.count))
        for batch in sealed { for machine in batch.result.machines { library.keep(machine) } }
        feed.committed { sealed.flatMap { ($0.batch.newInstances + $0.batch.changedInstances).map(\.id) } }
        answering {
            for batch in sealed { for (entry, answer) in zip(batch.entries, batch.answers) { entry.reply(answer) } }
        }
        for batch in sealed { for notice in batch.notices { log.tell(notice) } }
        log.debug(sealed)
        var endings: [BatchEnding] = sealed.map { _ in .committed }
        do throws(StoreError) {
            try store.maintain()
        } catch {
            endings[endings.count - 1] = .last(error)
        }
        return endings
    }

    /// Gives each of some batches a transaction of its own, so that those before the one to blame do not fail with it.
    private func writeEachAlone(_ sealed: [SealedBatch], because error: StoreError) -> [BatchEnding] {
        logger.warning(
            "batches were not written together, and are tried one by one",
            metadata: ["batches": "\(sealed.count)", "error": "\(error)"])
        var endings: [BatchEnding] = []
        for batch in sealed {
            endings += write([batch])
            guard case .committed? = endings.last else { break }
        }
        return endings + sealed.dropFirst(endings.count).map { _ in .untried }
    }

    /// Writes a batch for which no command waits.
    func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        let sealed = seal(&builder)
        switch write([sealed])[0] {
        case .committed: adopt(sealed)
        case .failed(let error), .last(let error):
            discard()
            throw error
        case .untried: preconditionFailure("nothing was under way")
        }
    }

    /// Takes over what is on disk, and waits until no more than so many batches are under way. False when one failed:
    /// nothing holds that was applied on top of it, and what those behind it were to answer is back in `waiting`.
    func settle(_ waiting: inout Waiting, leaving: Int = 0) throws(StoreError) -> Bool {
        while underWay.count > leaving || (!underWay.isEmpty && pipeline.hasEnding) {
            guard let sealed = underWay.popFirst() else { break }
            guard try conclude(sealed, pipeline.end(), &waiting) else { return false }
        }
        forgetEnded()
        return true
    }

    /// Takes over what a batch made, or throws it away. False when it failed.
    @discardableResult
    func conclude(
        _ sealed: SealedBatch, _ ending: BatchEnding, _ waiting: inout Waiting
    ) throws(StoreError) -> Bool {
        if case .committed = ending {
            adopt(sealed)
            return true
        }
        takeBack(&waiting)
        discard()
        switch ending {
        case .failed(let error): try recover(sealed, from: error)
        case .last(let error): throw error
        case .committed, .untried: preconditionFailure("the first that fails was tried")
        }
        return false
    }

    /// What was handed over behind a batch that failed waits again, but for what failed with it.
    private func takeBack(_ waiting: inout Waiting) {
        var again: Waiting = []
        while let sealed = underWay.popFirst() {
            if case .failed(let error) = pipeline.end() {
                refuse(sealed, error)
            } else {
                again += sealed.entries
            }
        }
        forgetEnded()
        pipeline.mend()
        if !again.isEmpty { waiting = again + waiting }
    }

    /// An empty slice would hold all that it was a part of.
    private func forgetEnded() {
        if underWay.isEmpty { underWay = [] }
    }

    /// Waits for the timers of a batch that is on disk.
    func adopt(_ sealed: SealedBatch) {
        for instance in sealed.instances where instance.hasTimers {
            if let key = instance.nextKey, sealed.entered[instance.record.id] != key {
                window.insert(key, of: instance.record.id, turn: instance.comesAtOnce ? sealed.now : nil)
            }
        }
        // Instances that are not on disk must not be dropped.
        if sealed.number > lastTrimmed {
            recent.trim()
            lastTrimmed = lastNumber
        }
    }

    /// Goes back to what is committed.
    func discard() {
        numbers = store.numbers
        recent.forgetAll()
        forgetTimers()
    }

    /// After a commit that failed, and everything that it held was discarded.
    private func recover(_ sealed: SealedBatch, from error: StoreError) throws(StoreError) {
        if error.code == .constraint, !sealed.fired.isEmpty || sealed.entries.count > 1 {
            blame(sealed.fired, for: error)
            return try runEachAlone(sealed.entries)
        }
        if sealed.entries.isEmpty { timersRest = .now + limits.timerPause }
        refuse(sealed, error)
        guard error.isUndone else { throw error }
    }

    private func refuse(_ sealed: SealedBatch, _ error: StoreError) {
        log.tell(
            .batches, .error, "a batch was not written",
            ["commands": "\(sealed.entries.count)", "error": "\(error)"])
        for entry in sealed.entries { entry.reply(.failure(Rejection(error))) }
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

extension StoreError {
    /// Whether nothing of what was to be written is there, and the store can still be written to.
    var isUndone: Bool { code == .unavailable || code == .constraint }
}
