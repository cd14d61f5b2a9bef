import Foundation
import Logging
import Statechart
import WorkflowStore

// Decides when and in what order timers fire: beside the commands, or while a virtual clock moves.

extension Lane {
    /// Returns the time at which the writer must look again without a command; `nil` to wait indefinitely. While timers
    /// are armed, the writer looks at least every minute, so that a clock that was far ahead does no harm.
    func nextWake() throws(StoreError) -> Date? {
        var wakes = [try nextTimerWake()].compactMap(\.self)
        if health.reason != nil { wakes.append(clock.date(after: limits.probePause)) }
        if !waitsForMachine, let expiry = leases.nextExpiry, let date = date(of: expiry) { wakes.append(date) }
        if let sweep = nextSweepWake { wakes.append(sweep) }
        if store.logHold != nil || store.holdsErased { wakes.append(clock.date(after: limits.logHoldPause)) }
        if leases.heldPlace != nil, !areTimersResting, !waitsForMachine { wakes.append(.distantPast) }
        return wakes.min()
    }

    private func nextTimerWake() throws(StoreError) -> Date? {
        if let rest = timersRest, rest > .now {
            return clock.date(after: rest - .now)
        }
        timersRest = nil
        // A new read of the window would return the timers that wait for their machines.
        if !asleep.isEmpty, window.mustRead { return nil }
        let due = try reading { () throws(StoreError) in try window.nextDue(store) }
        if let rest = timersRest { return clock.date(after: rest - .now) }
        return due.flatMap { date(of: min($0, Timestamp(rawValue: clock.now().rawValue + 60_000))) }
    }

    /// Reads timers. If the store cannot be read now, returns `nil`, and the timers wait.
    private func reading<Value>(_ read: () throws(StoreError) -> Value?) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.code == .unavailable else { throw error }
            health.failed(error.message)
            rest()
            return nil
        }
    }

    /// Returns the date of a time of the engine's clock; `nil` for a future time on a clock that is moved by hand.
    private func date(of time: Timestamp) -> Date? {
        clock.date(of: time) ?? (time <= clock.now() ? .distantPast : nil)
    }

    /// True while timers wait because a batch of timers was not written.
    var areTimersResting: Bool { timersRest.map { $0 > .now } ?? false }

    /// Fires due timers in their order while the batch is open; half of the batch if commands wait.
    func fireDue(
        into builder: inout BatchBuilder, sharing: Bool, since begin: ContinuousClock.Instant
    ) throws(StoreError) -> Round {
        var round = Round()
        // While a batch was under way, nothing was due: see `mustSettle`.
        if areTimersResting || !state.isIdle { return round }
        let bound = firesOneByOne ? 1 : Int.max
        let prefetch = applier.prefetch
        // The number of timers whose instances are prefetched.
        var ready = 0
        while round.fired.count < bound, applier.isOpen(builder, since: begin, share: sharing ? 2 : 1) {
            guard !mustCommit(builder) else {
                round.isExhausted = true
                break
            }
            if !asleep.isEmpty, window.mustRead { break }
            if let prefetch {
                if ready == 0 {
                    let due = try reading { () throws(StoreError) in
                        try window.due(by: builder.now, limit: min(bound, limits.batchRows), store)
                    }
                    guard let due else { break }
                    prefetch.read(due)
                    ready = due.count
                }
                ready -= 1
            }
            let first = try reading { () throws(StoreError) in try window.popDue(by: builder.now, store) }
            guard let (key, id) = first else {
                if round.fired.isEmpty { firesOneByOne = false }
                break
            }
            if broken.contains(id) { continue }
            let costBefore = builder.cost
            do throws(Rejection) {
                switch try builder.fire(id, expecting: key) {
                case .fired(let next, let turn):
                    round.fired.append(id)
                    entered[id] = next
                    if let next { window.insert(TimerHint(instance: id, key: next, turn: turn)) }
                case .nothing: break
                case .exhausted:
                    // The timer is entered again when the batch is committed.
                    entered[id] = nil
                    round.isExhausted = true
                }
            } catch {
                if case .compiling(let machine)? = error.wait {
                    asleep[machine, default: []].append(TimerHint(instance: id, key: key, turn: nil))
                    continue
                }
                if error.code == .storageUnavailable {
                    // Rows that cannot be read now may be readable soon.
                    rest()
                    break
                }
                leaveAlone(id, because: error)
            }
            if builder.cost - costBefore > order.burning {
                order.burnt(nil, builder.cost - costBefore)
                break
            }
        }
        return round
    }

    /// Returns true if the fired timers must be written before more can fire, because the store still has them.
    private func mustCommit(_ builder: BatchBuilder) -> Bool { builder.changes.rows > 0 && window.mustRead }

    /// The timers that fired in a batch.
    struct Round {
        /// The instances whose timers fired.
        var fired: [InstanceID] = []
        /// True if more is due than one batch takes.
        var isExhausted = false
    }

    /// Drops the window after a failed batch, whose changes to the window do not hold.
    func forgetTimers() {
        window.invalidate()
        entered = [:]
        asleep = [:]
    }

    /// Lets timers fire that waited for the compiled machine versions.
    func wakeTimers(of compiled: Set<MachineID>) {
        for id in compiled { for hint in asleep.removeValue(forKey: id) ?? [] { window.insert(hint) } }
        waitsForMachine = false
    }

    /// Pauses timers for a while; afterwards they are read from the store again.
    func rest() {
        timersRest = .now + limits.timerPause
        forgetTimers()
    }

    private func leaveAlone(_ id: InstanceID, because error: any Error) {
        broken.insert(id)
        logger.error(
            "the timers of an instance cannot be fired; they wait for a restart",
            metadata: ["instance": "\(id.rawValue)", "error": "\(error)"])
    }

    /// Finds the faulty timer after a batch with timers broke a constraint: the timers fire one by one, and the faulty
    /// one is left alone.
    func blame(_ fired: [InstanceID], for error: StoreError) {
        guard firesOneByOne, let id = fired.first else {
            firesOneByOne = !fired.isEmpty
            return
        }
        firesOneByOne = false
        leaveAlone(id, because: error)
    }

    /// Returns the next time at which the lane itself acts: a timer, or the end of a lease.
    private func nextOwnTime() throws(StoreError) -> Timestamp? {
        let due = try window.nextDue(store)
        return [due, leases.nextExpiry].compactMap(\.self).min()
    }

    /// The time of the daemon's next own effect; `nil` if none is known.
    private var nextEffect: Timestamp? { runners.compactMap(\.nextDue).min() }

    /// Returns the time at which something happens next.
    private func nextTime(_ tasks: WaitingTasks) throws(StoreError) -> Timestamp? {
        [try nextOwnTime(), nextEffect, tasks.next].compactMap(\.self).min()
    }

    /// True while the daemon makes an attempt or has one ready, so that a virtual clock stands still.
    private var isActing: Bool { !runners.allSatisfy(\.isSettled) }

    /// Moves a virtual clock from timer to timer, so that each fires at its own time.
    ///
    /// - Parameter stoppingAtTasks: True to stop the clock while a worker could have a task, or has one.
    func moveClock(
        to target: Timestamp, stoppingAtTasks: Bool, by caller: Caller?
    ) throws(StoreError) -> Result<ClockMove, Rejection> {
        guard let clock = clock as? VirtualClock else { return .failure(.realClock) }
        // A caller waits for the timers, so they do not rest.
        timersRest = nil
        try readyAllHeld()
        var fired = 0
        var recorded = clock.now() < target ? caller : nil
        while fired < limits.clockFirings {
            let tasks = stoppingAtTasks && clock.now() < target ? try waitingTasks() : WaitingTasks()
            // The timers that are due now fire first, also in several batches.
            if !tasks.queues.isEmpty, try window.nextDue(store).map({ $0 > clock.now() }) ?? true {
                return .success(ClockMove(now: clock.now(), fired: fired, isDone: false, tasks: tasks.queues))
            }
            var builder = applier.begin(after: [])
            let begin = ContinuousClock.now
            var round = Round()
            if let caller = recorded {
                builder.recordChange(.clock, detail: "moved: to \(LogicalTime(target).text)", by: caller)
                recorded = nil
            }
            // An instance that had its share is not overtaken: the batch ends.
            while !round.isExhausted, !areTimersResting, !mustCommit(builder), applier.isOpen(builder, since: begin),
                !builder.hasBegun(servedBy: runners), !(stoppingAtTasks && builder.hasReadiedTasks),
                tasks.next.map({ $0 > clock.now() }) ?? true, let due = try nextTime(tasks), due <= target, !isActing,
                tasks.queues.isEmpty || due <= clock.now()
            {
                clock.move(to: due)
                builder.now = clock.now()
                round = try fireDue(into: &builder, sharing: false, since: begin)
                fired += round.fired.count
                expireLeases(into: &builder, since: begin)
            }
            let mayStop =
                stoppingAtTasks && clock.now() < target && (builder.hasReadiedTasks || !tasks.queues.isEmpty)
            let isLast = try mustCommit(builder) || mayStop ? false : nextTime(tasks).map { $0 > target } ?? true
            let isStopped = isActing || builder.hasBegun(servedBy: runners)
            let isDone = isLast && !isStopped && !round.isExhausted && !areTimersResting
            if isDone { clock.move(to: target) }
            try commit(&builder)
            if areTimersResting { return .failure(.storageUnavailable("an instance cannot be read")) }
            if isStopped { return .success(ClockMove(now: clock.now(), fired: fired, isDone: false, isStopped: true)) }
            if isDone, try nextTime(WaitingTasks()).map({ $0 > target }) ?? true {
                return .success(ClockMove(now: clock.now(), fired: fired, isDone: true))
            }
        }
        return .success(ClockMove(now: clock.now(), fired: fired, isDone: false))
    }
}

extension BatchBuilder {
    /// Returns true if the batch has begun an effect that the daemon carries out itself.
    func hasBegun(servedBy runners: [EffectRunner]) -> Bool {
        changes.effects.values.contains { change in
            guard change.isNew, let effect = change.record else { return false }
            return runners.contains { $0.serves(effect.queue) }
        }
    }
}
