import Statechart
import WorkflowJSON
import WorkflowStore

// The handling of attempts that failed, expired or were reported late.

extension BatchBuilder {
    /// Returns the instance of an effect; `nil` only in a damaged store.
    mutating func instance(of effect: EffectRecord) throws(Rejection) -> LiveInstance? {
        try instance(effect.instanceID)
    }

    /// Returns a kept attempt, including the changes of the commands applied so far.
    func attempt(_ number: Int64, of effect: Position) throws(Rejection) -> AttemptRecord? {
        let told = newest { changes in
            changes.attempts.last { $0.effect == effect && $0.attempt == number }
        }
        if let told { return told }
        return try read { () throws(StoreError) in try store.attempt(number, of: effect) }
    }

    /// Keeps the result of an attempt that came after its lease was lost. A result that came in time stays.
    ///
    /// - Parameter error: JSON of `{type: late, …}`.
    /// - Returns: False if the token is not proven to be of this store; then nothing is kept.
    mutating func keepLate(_ task: TaskToken, _ error: JSONObject, by caller: Caller) throws(Rejection) -> Bool {
        guard let instance = try instance(task.instance), instance.state.record.id == task.instance,
            instance.state.record.namespace == caller.namespace, task.isGenuine(with: instance.state.record.salt)
        else { return false }
        let live = try effect(task.effect)
        // The worker gave the attempt back, so the attempt does not count.
        if let live, live.attempts < task.attempt { return false }
        let told = try attempt(task.attempt, of: task.effect)
        let canBeLate = [TaskFailure.leaseExpired.type, Self.late]
        if let told, !canBeLate.contains(told.outcome) { return true }
        // Counted once for each attempt. The queue of an effect that has ended is unknown.
        if let live, told?.outcome != Self.late { note(.attempted(queue: live.queue, .late)) }
        changes.attempts.append(
            AttemptRecord(
                instanceID: task.instance, effect: task.effect, name: live?.name ?? told?.name,
                attempt: task.attempt, begun: min(task.begun, now), ended: now, outcome: Self.late,
                error: JSONWriter.string(JSONValue.object(error))))
        return true
    }

    /// The outcome of an attempt that ended after its lease or its effect had.
    static let late = "late"

    /// Records a failed attempt: the effect is tried again later, or has failed for good.
    mutating func fail(
        _ effect: EffectRecord, begun: Timestamp, _ failure: TaskFailure, of instance: LiveInstance
    ) throws(Rejection) {
        let wait = try wait(after: failure, of: effect)
        changes.attempts.append(
            AttemptRecord(
                instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: effect.attempts,
                begun: begun, ended: max(now, begun), outcome: failure.type, error: failure.note))
        note(.attempted(queue: effect.queue, failure.metric))
        var effect = effect
        effect.lease = nil
        effect.worker = nil
        effect.error = failure.note
        if let wait {
            effect.state = .ready
            // After the clock was set back, everything up to the store's last time is ready, so the pause counts from
            // there.
            effect.due = Timestamp(rawValue: max(now, numbers.last).rawValue + wait)
            return change(effect)
        }
        change(effect)
        var error = failure.error
        error["attempts"] = .int(effect.attempts)
        end(effect, with: .init(event: EventName.failed + effect.name, data: .object(error), key: nil), of: instance)
    }

    /// Returns the milliseconds until an effect is tried again after a failed attempt; `nil` if it is not tried again.
    private func wait(after failure: TaskFailure, of effect: EffectRecord) throws(Rejection) -> Int64? {
        let policy = effect.policy
        return try policy.wait(
            after: failure.forRules, canRetry: failure.canRetry, retryAfter: failure.retryAfter,
            seed: UInt64(bitPattern: effect.id.rawValue)
        ) { place throws(Rejection) in
            // A single rule has counted all failures.
            if policy.rules.count == 1 { return effect.attempts - effect.earlier }
            let earlier = try earlierAttempts(of: effect).filter { policy.place(for: $0.forRules) == place }
            return Int64(earlier.count) + 1
        }
    }

    /// Returns the attempts before the last one, since an operator last retried the effect; of many, the first and the
    /// last ones.
    private func earlierAttempts(of effect: EffectRecord) throws(Rejection) -> [AttemptRecord] {
        let (first, end) = (effect.earlier, effect.attempts - 1)
        let begins = min(end, AttemptRecord.firstKept)
        let ends = max(first, begins, end - AttemptRecord.lastKept)
        var numbers: [Int64] = []
        if first < begins { numbers += (first + 1)...begins }
        if ends < end { numbers += (ends + 1)...end }
        var told: [Int64: AttemptRecord] = [:]
        for attempt in (underWay + [changes]).flatMap(\.attempts) where attempt.effect == effect.id {
            told[attempt.attempt] = attempt
        }
        for number in numbers where told[number] == nil {
            told[number] = try read { () throws(StoreError) in try store.attempt(number, of: effect.id) }
        }
        return numbers.compactMap { told[$0] }
    }

    /// Keeps the result of an attempt that comes too late. The effect does not change.
    mutating func keepLate(_ outcome: AttemptOutcome, of effect: EffectRecord, begun: Timestamp) {
        let error: String? =
            switch outcome {
            case .failed(let failure): failure.note
            case .done, .held: nil
            }
        note(.attempted(queue: effect.queue, .late))
        changes.attempts.append(
            AttemptRecord(
                instanceID: effect.instanceID, effect: effect.id, name: effect.name,
                attempt: effect.attempts + 1, begun: begun, ended: max(now, begun), outcome: Self.late, error: error))
    }

    /// Fails the attempt of a lease that has expired. Throws if the expiry cannot be verified now.
    mutating func expire(_ id: Position, secret: [UInt8]) throws(Rejection) {
        guard let effect = try effect(id), effect.state == .leased, let lease = TaskLease(effect.lease),
            lease.secret == secret, let instance = try instance(of: effect)
        else { return }
        guard lease.generation == parts.leases.generation else {
            var ready = effect
            ready.state = .ready
            ready.attempts -= 1
            ready.lease = nil
            ready.worker = nil
            ready.due = now
            return change(ready)
        }
        fireDue(of: instance)
        if let effect = try self.effect(id), effect.state == .leased {
            try fail(effect, begun: lease.begun, .leaseExpired, of: instance)
        }
    }
}

extension TaskFailure {
    /// The name under which attempts are counted.
    fileprivate var metric: AttemptEnd {
        switch type {
        case Self.leaseExpired.type: .leaseExpired
        case Self.interruptedType: .interrupted
        default: .failed
        }
    }
}
