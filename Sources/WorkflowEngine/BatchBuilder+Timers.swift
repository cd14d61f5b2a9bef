import Statechart
import WorkflowStore

// What comes to an instance by itself: its timers, and what is left of the events that it sent to itself.

extension BatchBuilder {
    /// Fires the next timer of an instance, if it is due and no later one than expected: what was to fire may have
    /// fired or ended, and the instance's next timer does not take its turn.
    mutating func fire(
        _ id: InstanceID, expecting key: TimerKey, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> Firing {
        guard let name = try read({ () throws(StoreError) in try store.instanceName(id) }),
            let place = try place(of: name, cached: cached), let next = self[place].nextKey, next <= key
        else { return .nothing }
        guard firings(of: place) < limits.firingsOfInstance else { return .exhausted }
        guard fireNext(of: place) else { return .nothing }
        return .fired(next: self[place].nextKey, turn: self[place].comesAtOnce ? now : nil)
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
    mutating func fireDue(of place: TouchedInstances.Place) {
        guard self[place].nextDue(by: now) != nil else { return }
        let time = self[place].time(at: now)
        var left = self[place].snapshot.armed.count { $0.isImmediate || $0.due <= time } + limits.firingsOfInstance
        while left > 0, fireNext(of: place) { left -= 1 }
    }

    /// Fires what is due next; false when nothing is.
    @discardableResult
    private mutating func fireNext(of place: TouchedInstances.Place) -> Bool {
        guard let timer = self[place].nextDue(by: now) else { return false }
        countFiring(of: place)
        let event = event(of: timer, in: place)
        let instance = self[place]
        switch instance.machine.step(instance.snapshot, event, as: instance.identity) {
        case .accepted(let macrostep):
            let chain = instance.machine.chain(event, macrostep, as: instance.identity)
            record(chain, of: place, kind: timer.isImmediate ? .sent : .timer)
        case .refused:
            recordFailure(event, of: place)
        }
        return true
    }

    /// The event of a timer that is due: its time is when it was due, so that an outage stretches no countdown. When
    /// too many in a row are late it is the clock's.
    private mutating func event(of timer: ArmedTimer, in place: TouchedInstances.Place) -> Event {
        let isLate = now.rawValue - timer.due.milliseconds > limits.lateMilliseconds
        let lateFirings = noteLateness(isLate && !timer.isImmediate, of: place)
        let instance = self[place]
        let event = instance.machine.event(
            of: timer, notBefore: LogicalTime(instance.record.updated), firedAt: LogicalTime(now))
        guard lateFirings > limits.lateFirings else { return event }
        return Event(
            name: event.name, data: event.data, at: instance.time(at: now), origin: event.origin,
            firedAt: event.firedAt)
    }
}
