import Statechart
import WorkflowStore

// What comes to an instance by itself: its timers, and what is left of the events that it sent to itself.

extension BatchBuilder {
    /// Fires the next timer of an instance, if it is due and no later one than expected: what was to fire may have
    /// fired or ended, and the instance's next timer does not take its turn.
    mutating func fire(
        _ id: InstanceID, expecting key: TimerKey
    ) throws(Rejection) -> Firing {
        guard let name = try read({ () throws(StoreError) in try store.instanceName(id) }),
            let instance = try instance(named: name), instance.record.id == id, let next = instance.nextKey, next <= key
        else { return .nothing }
        guard instance.firings < limits.firingsOfInstance else { return .exhausted }
        guard fireNext(of: instance) else { return .nothing }
        return .fired(next: instance.nextKey, turn: instance.comesAtOnce ? now : nil)
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

    /// Fires everything that is due before a command: all that was due when it came, and a bounded number of those that
    /// these arm, so that an instance that never comes to rest can still be told something.
    mutating func fireDue(of instance: LiveInstance) {
        guard instance.nextDue(by: now) != nil else { return }
        let time = instance.time(at: now)
        var left = instance.snapshot.armed.count { $0.isImmediate || $0.due <= time } + limits.firingsOfInstance
        while left > 0, fireNext(of: instance) { left -= 1 }
    }

    /// Fires what is due next; false when nothing is.
    @discardableResult
    private mutating func fireNext(of instance: LiveInstance) -> Bool {
        guard let timer = instance.nextDue(by: now) else { return false }
        instance.firings += 1
        let event = event(of: timer, in: instance)
        switch instance.step(event, spending: &cost) {
        case .accepted(let macrostep):
            let chain = instance.chain(event, macrostep)
            record(chain, of: instance, kind: timer.isImmediate ? .sent : .timer)
            let due = timer.isImmediate ? nil : timer.due
            if let macrosteps = motion.count(1 + chain.rest.count, of: instance.record.id, due: due, at: now) {
                note(.restless(instance: instance.record.name, event: event.name, macrosteps: macrosteps))
            }
        case .refused(let refusal):
            recordFailure(event, refusal, of: instance)
        }
        return true
    }

    /// The event of a timer that is due: its time is when it was due, so that an outage stretches no countdown. When
    /// too many in a row are late it is the clock's.
    private func event(of timer: ArmedTimer, in instance: LiveInstance) -> Event {
        let isLate = now.rawValue - timer.due.milliseconds > limits.lateMilliseconds
        instance.lateFirings = isLate && !timer.isImmediate ? instance.lateFirings + 1 : 0
        let event = instance.machine.event(
            of: timer, notBefore: LogicalTime(instance.record.updated), firedAt: LogicalTime(now))
        guard instance.lateFirings > limits.lateFirings else { return event }
        return Event(
            name: event.name, data: event.data, at: instance.time(at: now), origin: event.origin,
            firedAt: event.firedAt)
    }
}
