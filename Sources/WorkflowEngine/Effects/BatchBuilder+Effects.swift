import Statechart
import WorkflowJSON
import WorkflowStore

/// What a batch did to an effect.
struct EffectChange: Sendable {
    /// As it is afterwards; nil when it has ended.
    var record: EffectRecord?
    /// Whether it began in the batch.
    let isNew: Bool
}

// MARK: Looking up

extension BatchBuilder {
    /// An effect as it is after what was applied so far; nil when it has ended.
    func effect(_ id: Position) throws(Rejection) -> EffectRecord? {
        if let change = effects[id] { return change.record }
        for batch in provisional.reversed() { if let change = batch.effects[id] { return change.record } }
        return try read { () throws(StoreError) in try store.effect(id) }
    }

    /// The effects of a queue that can be taken, by priority, then by when they are due, then by age.
    func readyEffects(in queue: String, limit: Int) throws(Rejection) -> [EffectRecord] {
        // A clock that was set back hides nothing that was ready before.
        let due = max(now, numbers.last)
        var changes: [Position: EffectChange] = [:]
        for batch in provisional { changes.merge(batch.effects) { _, new in new } }
        changes.merge(effects) { _, new in new }
        // What is not committed may have taken as many of those that the store gives.
        let stored = try read { () throws(StoreError) in
            try store.readyEffects(queue: queue, due: due, limit: limit + changes.count)
        }
        let changed = changes.values.compactMap(\.record).filter {
            $0.queue == queue && $0.state == .ready && $0.due <= due
        }
        let ready = stored.filter { changes[$0.id] == nil } + changed
        return Array(ready.sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }.prefix(limit))
    }

    /// When a queue has something ready next; nil when nothing waits. What is not committed is told when it is.
    func nextReady(in queue: String) throws(Rejection) -> Timestamp? {
        try read { () throws(StoreError) in try store.nextReady(queue: queue) }
    }
}

// MARK: Changing

extension BatchBuilder {
    /// Changes an effect that has not ended.
    mutating func change(_ record: EffectRecord) {
        effects[record.id] = EffectChange(record: record, isNew: effects[record.id]?.isNew ?? false)
        bytes += 256
    }

    /// Begins and ends effects as a macrostep asks; one that its instance failed on waits for a person.
    ///
    /// - Parameter before: The effects of the instance before it.
    mutating func changeEffects(
        _ before: [Position], by link: Chain.Link, of instance: LiveInstance
    ) {
        let record = instance.state.record
        for case .invoke(let pending, let request) in link.macrostep.requests {
            let effect = EffectRecord(
                id: numbers.nextPosition, instanceID: record.id, seq: record.seq, number: Int64(pending.id.number),
                name: request.name, queue: request.queue, priority: request.priority, due: record.updated,
                request: request.text)
            effects[effect.id] = EffectChange(record: effect, isNew: true)
            numbers.nextPosition = effect.id.next
            bytes += 256 + request.text.utf8.count
        }
        if link.refusal != nil { setAside(instance) }
        let after = instance.state.effects
        for id in before where !after.contains(id) {
            effects[id] = EffectChange(record: nil, isNew: effects[id]?.isNew ?? false)
        }
    }

    /// The effect on whose end an instance has failed waits for a person.
    private mutating func setAside(_ instance: LiveInstance) {
        guard let kept = instance.state.snapshot.armed.kept, kept.kind == .invocation else { return }
        for id in instance.state.effects where instance.state.invocation(of: id)?.isKept == true {
            guard var effect = try? effect(id) else { continue }
            effect.state = .failed
            effect.lease = nil
            effect.worker = nil
            effect.error = kept.data.map(JSONWriter.string)
            change(effect)
        }
    }

    /// Adds what the batch did to effects, for the transaction.
    func writeEffects(to batch: inout StoreBatch) {
        guard !effects.isEmpty else { return }
        for (id, change) in effects.sorted(by: { $0.key < $1.key }) {
            switch change.record {
            case let record? where change.isNew: batch.newEffects.append(record)
            case let record?: batch.changedEffects.append(record)
            case nil where !change.isNew: batch.endedEffects.append(id)
            case nil: break
            }
        }
        batch.attempts = attempts
    }
}

extension Macrostep {
    /// The ids of the effects that it begins: the places behind its row.
    func effectPositions(after row: Position) -> [Pending.ID: Position] {
        var positions: [Pending.ID: Position] = [:]
        var next = row.next
        for case .invoke(let pending, _) in requests {
            positions[pending.id] = next
            next = next.next
        }
        return positions
    }
}

// MARK: Attempts

extension BatchBuilder {
    /// The instance of an effect; nil when there is none, which no store has.
    mutating func instance(of effect: EffectRecord) throws(Rejection) -> LiveInstance? {
        guard let key = try read({ () throws(StoreError) in try store.instanceKey(effect.instanceID) }) else {
            return nil
        }
        return try instance(key)
    }

    /// An attempt failed: the effect is tried again later, or has failed for good.
    mutating func fail(_ effect: EffectRecord, _ lease: TaskLease, _ failure: TaskFailure, of instance: LiveInstance) {
        let policy = effect.policy
        var error: JSONObject = ["type": .string(failure.type), "message": .string(failure.message)]
        error["details"] = failure.details
        attempts.append(
            AttemptRecord(
                instanceID: effect.instanceID, effect: effect.id, attempt: effect.attempts, begun: lease.begun,
                ended: now, outcome: failure.type, error: JSONWriter.string(error)))
        var effect = effect
        effect.lease = nil
        effect.worker = nil
        effect.error = JSONWriter.string(error)
        let isLast =
            !failure.canRetry || policy.except.contains(failure.type)
            || policy.attempts.map { effect.attempts >= $0 } ?? false
        guard isLast else {
            let wait =
                failure.retryAfter
                ?? policy.wait(after: effect.attempts, seed: UInt64(bitPattern: effect.id.rawValue))
            effect.state = .ready
            effect.due = Timestamp(rawValue: now.rawValue + wait)
            return change(effect)
        }
        change(effect)
        error["attempts"] = .int(effect.attempts)
        end(effect, with: .init(event: EventName.failed + effect.name, data: .object(error), key: nil), of: instance)
    }

    /// A lease may have run out: when it has, its attempt has failed. False when that cannot be found out now.
    mutating func expire(_ id: Position, secret: [UInt8]) -> Bool {
        do throws(Rejection) {
            guard let effect = try effect(id), effect.state == .leased, let lease = TaskLease(effect.lease),
                lease.secret == secret, let instance = try instance(of: effect)
            else { return true }
            guard lease.generation == leases.generation else {
                var ready = effect
                ready.state = .ready
                ready.attempts -= 1
                ready.lease = nil
                ready.worker = nil
                ready.due = now
                change(ready)
                return true
            }
            fireDue(of: instance)
            if let effect = try self.effect(id), effect.state == .leased {
                fail(effect, lease, .leaseExpired, of: instance)
            }
            return true
        } catch {
            return false
        }
    }
}

// MARK: Results

extension BatchBuilder {
    /// What became of an effect.
    struct EffectResult {
        /// `done.invoke.<id>` or `error.invoke.<id>`.
        let event: String
        let data: JSONValue?
        let key: RequestKey?
    }

    /// Gives an effect's result to its instance, or keeps it until that can take it.
    ///
    /// - Precondition: The effect is live.
    mutating func end(_ effect: EffectRecord, with result: EffectResult, of instance: LiveInstance) {
        guard instance.state.snapshot.status == .running, let pending = instance.state.invocation(of: effect.id) else {
            var waiting = effect
            waiting.state = .answered
            waiting.lease = nil
            waiting.due = now
            var answer: JSONObject = ["data": result.data ?? .null, "event": .string(result.event)]
            answer["key"] = result.key.map { .string($0.text) }
            waiting.answer = JSONWriter.string(JSONValue.object(answer))
            return change(waiting)
        }
        take(result, of: pending, of: instance)
    }

    private mutating func take(_ result: EffectResult, of pending: Pending, of instance: LiveInstance) {
        let event = Event(name: result.event, data: result.data, at: instance.state.time(at: now))
        let position = numbers.nextPosition
        switch instance.state.chain(.result(Taken(pending, result: event)), spending: &cost) {
        case .failure: preconditionFailure("a result is taken, or the instance fails on it")
        case .success(let chain):
            record(
                chain, of: instance, by: .process(in: instance.state.record.namespace), key: result.key)
            remember(result.key, in: .instance(instance.state.record.id), at: position)
        }
    }

    /// Gives an instance that goes on the results that waited while it had failed, in the order in which they came, and
    /// before each the timers that were due earlier.
    mutating func takeAnswers(of instance: LiveInstance) throws(Rejection) {
        var answered: [EffectRecord] = []
        for id in instance.state.effects {
            if let effect = try effect(id), effect.state == .answered { answered.append(effect) }
        }
        for effect in answered.sorted(by: { ($0.due, $0.id) < ($1.due, $1.id) }) {
            fireDue(of: instance, by: effect.due)
            guard instance.state.snapshot.status == .running else { return }
            guard let pending = instance.state.invocation(of: effect.id), let text = effect.answer,
                let answer = RecordedFailure.object(text), case .string(let event)? = answer["event"]
            else { continue }
            take(EffectResult(event: event, data: answer["data"], key: effect.answerKey), of: pending, of: instance)
        }
    }
}
