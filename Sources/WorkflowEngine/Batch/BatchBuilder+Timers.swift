import Statechart
package import WorkflowStore

// Inputs that come to an instance by themselves: timers, and the remaining events that the instance sent to itself.

extension BatchBuilder {
    /// Fires the next timer of an instance, if it is due and no later than expected. The expected timer may have fired
    /// or been cancelled; then the instance's next timer does not take its turn.
    mutating func fire(
        _ id: InstanceID, expecting key: TimerKey
    ) throws(Rejection) -> Firing {
        guard let known = try self.key(of: id),
            let instance = try instance(known), instance.state.record.id == id,
            let next = instance.state.nextKey, next <= key
        else { return .nothing }
        try parts.demand.waitBehindOthers(for: instance.state.loaded.record.id)
        guard instance.entry.firings < parts.limits.firingsOfInstance else { return .exhausted }
        guard fireNext(of: instance, by: instance.state.time(at: now)) > 0 else { return .nothing }
        return .fired(next: instance.state.nextKey, turn: instance.state.comesAtOnce ? now : nil)
    }

    /// The result of checking an instance that may have something due.
    enum Firing {
        /// A timer fired. `next` is the instance's next timer; `turn` is the time of its turn, if that differs from its
        /// due time.
        case fired(next: TimerKey?, turn: Timestamp?)
        /// Nothing was due.
        case nothing
        /// The instance has used its share of this batch.
        case exhausted
    }

    /// Fires everything that is due before a command. All timers that were due when the command came fire. Of the
    /// timers that these arm, a bounded number of macrosteps of a bounded cost run. So an instance that never comes to
    /// rest still accepts commands.
    ///
    /// - Parameter then: The time up to which timers are due; `nil` for now.
    mutating func fireDue(of instance: LiveInstance, by then: Timestamp? = nil) {
        guard instance.state.hasTimers else { return }
        let time = then.map { LogicalTime($0) } ?? instance.state.time(at: now)
        guard instance.state.nextDue(by: time) != nil else { return }
        var due = instance.state.snapshot.armed.count { $0.kind == .sent || ($0.kind == .timer && $0.due <= time) }
        var others = parts.limits.firingsOfInstance
        let most = cost + parts.limits.costBeforeCommand
        while due > 0 || (others > 0 && cost < most) {
            let macrosteps = fireNext(of: instance, by: time)
            if macrosteps == 0 { return }
            if due > 0 { due -= 1 } else { others -= macrosteps }
        }
    }

    /// Fires the next due timer, or suspends the instance with its machine. Returns the number of macrosteps; 0 if
    /// nothing is due.
    private mutating func fireNext(of instance: LiveInstance, by time: LogicalTime) -> Int {
        guard let timer = instance.state.nextDue(by: time) else { return 0 }
        // The timer waits, and fires at its own time when the instance is resumed.
        if suspendWithMachine(instance, at: timer.time(notBefore: LogicalTime(instance.state.record.updated))) {
            return 1
        }
        do throws(Rejection) {
            // A timeout ends its effect.
            try lookUp(timer, of: instance)
        } catch {
            // A read that fails now may succeed soon: the timer stays due.
            return 0
        }
        let chain: Chain
        switch instance.state.chain(input(of: timer, in: instance), spending: &cost) {
        // Proof: the instance runs, or nothing would be due; then `Machine` turns each refusal into a failure.
        case .failure: preconditionFailure("what is armed is taken, or the instance fails on it")
        case .success(let found): chain = found
        }
        instance.entry.firings += chain.count
        record(chain, of: instance, from: RowOrigin(.process(in: instance.state.record.namespace)))
        brake(instance, after: chain.count, event: timer.event)
        return chain.count
    }

    /// Returns the input of a due timer. The input has the time at which the timer was due, so downtime does not delay
    /// timers. After too many consecutive late timers the input has the clock's time.
    private func input(of timer: Pending, in instance: LiveInstance) -> Input {
        let isLate = now.rawValue - timer.due.milliseconds > parts.limits.lateMilliseconds
        instance.state.lateFirings = isLate && timer.kind == .timer ? instance.state.lateFirings + 1 : 0
        let at =
            instance.state.lateFirings > parts.limits.lateFirings
            ? instance.state.time(at: now) : timer.time(notBefore: LogicalTime(instance.state.record.updated))
        return .coming(timer, at: at, firedAt: LogicalTime(now))
    }
}

/// The time at which an instance may have something due. A hint binds nobody: the timer may have been cancelled since.
package struct TimerHint: Sendable, Equatable {
    package let instance: InstanceID
    package let key: TimerKey
    /// The time of its turn, if that is later than its due time.
    package let turn: Timestamp?
}
