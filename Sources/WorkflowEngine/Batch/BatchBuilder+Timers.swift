import Statechart
package import WorkflowStore

// What comes to an instance by itself: its timers, and what is left of the events that it sent to itself.

extension BatchBuilder {
    /// Fires the next timer of an instance, if it is due and no later one than expected: what was to fire may have
    /// fired or ended, and the instance's next timer does not take its turn.
    mutating func fire(
        _ id: InstanceID, expecting key: TimerKey
    ) throws(Rejection) -> Firing {
        guard let known = try self.key(of: id),
            let instance = try instance(known), instance.state.record.id == id,
            let next = instance.state.nextKey, next <= key
        else { return .nothing }
        try demand.waitBehindOthers(for: instance.state.loaded.record.id)
        guard instance.entry.firings < limits.firingsOfInstance else { return .exhausted }
        guard fireNext(of: instance, by: instance.state.time(at: now)) > 0 else { return .nothing }
        return .fired(next: instance.state.nextKey, turn: instance.state.comesAtOnce ? now : nil)
    }

    /// What came of looking at an instance that may have something due.
    enum Firing {
        /// A timer fired; the next one of the instance, and when its turn is if that is not when it is due.
        case fired(next: TimerKey?, turn: Timestamp?)
        /// Nothing was due.
        case nothing
        /// The instance had its share of this batch.
        case exhausted
    }

    /// Fires everything that is due before a command: all that was due when it came, and of those that these arm a
    /// bounded number of macrosteps, of a bounded cost, so that an instance that never comes to rest can still be told
    /// something.
    ///
    /// - Parameter then: The time by which it was due; nil for now.
    mutating func fireDue(of instance: LiveInstance, by then: Timestamp? = nil) {
        guard instance.state.hasTimers else { return }
        let time = then.map { LogicalTime($0) } ?? instance.state.time(at: now)
        guard instance.state.nextDue(by: time) != nil else { return }
        var due = instance.state.snapshot.armed.count { $0.kind == .sent || ($0.kind == .timer && $0.due <= time) }
        var others = limits.firingsOfInstance
        let most = cost + limits.costBeforeCommand
        while due > 0 || (others > 0 && cost < most) {
            let macrosteps = fireNext(of: instance, by: time)
            if macrosteps == 0 { return }
            if due > 0 { due -= 1 } else { others -= macrosteps }
        }
    }

    /// Fires what is due next, or suspends the instance because of it. Gives how many macrosteps that made; 0 when
    /// nothing is due.
    private mutating func fireNext(of instance: LiveInstance, by time: LogicalTime) -> Int {
        guard let timer = instance.state.nextDue(by: time) else { return 0 }
        // It waits, and comes at its own time when the instance is resumed.
        if suspendWithMachine(instance, at: timer.time(notBefore: LogicalTime(instance.state.record.updated))) {
            return 1
        }
        do throws(Rejection) {
            // A timeout ends its effect.
            try lookUp(timer, of: instance)
        } catch {
            // What cannot be read now may be read soon: the timer is due still.
            return 0
        }
        let chain: Chain
        switch instance.state.chain(input(of: timer, in: instance), spending: &cost) {
        // Proof: it runs, or nothing were due; then `Machine` makes a failure of each refusal.
        case .failure: preconditionFailure("what is armed is taken, or the instance fails on it")
        case .success(let found): chain = found
        }
        instance.entry.firings += chain.count
        record(chain, of: instance, from: RowOrigin(.process(in: instance.state.record.namespace)))
        let macrosteps = chain.links.count { $0.refusal == nil }
        let due = timer.kind == .sent ? nil : timer.due
        if macrosteps > 0, let count = motion.count(macrosteps, of: instance.state.record.id, due: due, at: now) {
            note(.restless(instance: instance.state.record.name, event: timer.event, macrosteps: count))
        }
        brake(instance, after: chain.count, event: timer.event)
        return chain.count
    }

    /// A timer that is due comes at the time at which it was due, so that an outage stretches no countdown. When too
    /// many in a row are late, it comes at the clock's.
    private func input(of timer: Pending, in instance: LiveInstance) -> Input {
        let isLate = now.rawValue - timer.due.milliseconds > limits.lateMilliseconds
        instance.state.lateFirings = isLate && timer.kind == .timer ? instance.state.lateFirings + 1 : 0
        let at =
            instance.state.lateFirings > limits.lateFirings
            ? instance.state.time(at: now) : timer.time(notBefore: LogicalTime(instance.state.record.updated))
        return .coming(timer, at: at, firedAt: LogicalTime(now))
    }
}

/// When to look at an instance, because something may be due there. It binds nobody: what was armed may have been
/// cancelled since.
package struct TimerHint: Sendable, Equatable {
    package let instance: InstanceID
    package let key: TimerKey
    /// When its turn is, if that is later than when it is due.
    package let turn: Timestamp?
}
