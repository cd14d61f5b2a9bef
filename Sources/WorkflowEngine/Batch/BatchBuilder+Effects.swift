import Statechart
import WorkflowJSON
import WorkflowStore

// MARK: Looking up

extension BatchBuilder {
    /// Returns an effect with the changes applied so far; `nil` if the effect has ended.
    func effect(_ id: Position) throws(Rejection) -> EffectRecord? {
        if let change = uncommitted(id) { return change.record }
        if let known = parts.recent.effect(id) { return known }
        return try read { () throws(StoreError) in try store.effect(id) }
    }

    /// Returns the effects of a queue that can be taken, by priority, then by due time, then by age.
    func readyEffects(in queue: String, limit: Int) throws(Rejection) -> [EffectRecord] {
        // A clock that was set back hides nothing that was ready before.
        let due = max(now, numbers.last)
        let stored = try read { () throws(StoreError) in
            try store.readyEffects(in: numbers.partition, queue: queue, due: due, limit: limit) { id in
                uncommitted(id) != nil
            }
        }
        let changed = readied(in: queue, by: due)
        if changed.isEmpty { return stored }
        let ready = stored + changed
        return Array(ready.sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }.prefix(limit))
    }

    /// Returns the effects of a queue that became ready without being committed yet.
    private func readied(in queue: String, by due: Timestamp) -> [EffectRecord] {
        var ids: Set<Position> = []
        for batch in underWay + [changes] { ids.formUnion(batch.readied[queue] ?? []) }
        return ids.compactMap { id in
            // A later change may have followed.
            guard let record = uncommitted(id)?.record, record.state == .ready, record.due <= due else { return nil }
            return record
        }
    }

    /// Returns the last uncommitted change of an effect.
    private func uncommitted(_ id: Position) -> EffectChange? { newest { $0.effects[id] } }

    /// Returns how many more leases a queue may have, whatever its rate, and at most `wanted`.
    func leaseRoom(in queue: String, _ settings: QueueSettings, wanted: Int) -> Int {
        var count = parts.leases.count(in: queue)
        // Each of these changes may add a lease; they are examined only if they matter.
        if parts.leases.bound(settings) - count - uncommittedCount({ $0.effects.count }) >= wanted { return wanted }
        var effects: [Position: EffectChange] = [:]
        for batch in underWay + [changes] { effects.merge(batch.effects) { _, new in new } }
        for (id, change) in effects {
            let isLeased = change.record.map { $0.queue == queue && $0.state == .leased } ?? false
            count += (isLeased ? 1 : 0) - (parts.leases.knows(id, in: queue) ? 1 : 0)
        }
        return min(wanted, max(0, parts.leases.bound(settings) - count))
    }

    /// Returns when a queue next has a ready effect; `nil` if nothing waits. Uncommitted effects are announced at their
    /// commit.
    ///
    /// - Parameter time: Only effects due after this time count; `nil` for all.
    func nextReady(in queue: String, after time: Timestamp? = nil) throws(Rejection) -> Timestamp? {
        try read { () throws(StoreError) in try store.nextReady(in: numbers.partition, queue: queue, after: time) }
    }
}

// MARK: Changing

extension BatchBuilder {
    /// Changes an effect that has not ended.
    mutating func change(_ record: EffectRecord) {
        if record.state == .ready { changes.readied[record.queue, default: []].append(record.id) }
        changes.effects[record.id] = EffectChange(record: record, isNew: changes.effects[record.id]?.isNew ?? false)
        bytes += 256
    }

    /// Ends an effect whose result no instance waits for.
    mutating func end(_ record: EffectRecord) {
        changes.effects[record.id] = EffectChange(record: nil, isNew: changes.effects[record.id]?.isNew ?? false)
    }

    /// Begins and ends the effects that a macrostep requests. An effect that its instance failed on waits for an
    /// operator. A call ends by itself, whatever happens to its instance.
    ///
    /// - Parameter before: The effects of the instance before the macrostep.
    mutating func changeEffects(
        _ before: [Position], by link: Chain.Link, of instance: LiveInstance
    ) {
        let record = instance.state.record
        for asked in link.macrostep.requests {
            guard let request = asked.effect else { continue }
            let effect = EffectRecord(
                id: numbers.nextPosition, instanceID: record.id, seq: record.seq,
                number: asked.armed.map { Int64($0.number) }, name: request.name, queue: request.queue,
                priority: request.priority, due: record.updated,
                request: request.text)
            changes.effects[effect.id] = EffectChange(record: effect, isNew: true)
            changes.readied[effect.queue, default: []].append(effect.id)
            numbers.nextPosition = effect.id.next
            bytes += 256 + request.text.utf8.count
            if isMachineSuspended(of: instance) { withhold(effect, of: instance) }
        }
        if link.refusal != nil { setAside(instance) }
        let after = instance.state.effects
        for id in before where !after.contains(id) {
            changes.effects[id] = EffectChange(record: nil, isNew: changes.effects[id]?.isNew ?? false)
        }
    }

    /// Looks up the effect that an instance may fail on before anything is changed; afterwards nothing may fail.
    mutating func lookUp(_ pending: Pending, of instance: LiveInstance) throws(Rejection) {
        guard let name = pending.invocation, instance.state.machine.hasInvocations else { return }
        for id in instance.state.effects where instance.state.invocation(of: id)?.invocation == name {
            if let effect = try effect(id) { change(effect) }
        }
    }

    /// Sets aside the effect that the instance has failed on, until an operator acts. `lookUp` has found the effect.
    private mutating func setAside(_ instance: LiveInstance) {
        guard let kept = instance.state.snapshot.armed.kept, kept.kind == .invocation else { return }
        for id in instance.state.effects where instance.state.invocation(of: id)?.isKept == true {
            guard var effect = changes.effects[id]?.record else { continue }
            effect.state = .failed
            effect.lease = nil
            effect.worker = nil
            effect.error = kept.data.map(JSONWriter.string)
            change(effect)
        }
    }
}

// MARK: Held

extension BatchBuilder {
    /// Makes held effects ready again. Returns the last effect that was examined, or `nil` after the last of all.
    mutating func readyHeld(from place: LeaseTable.HeldPlace, limit: Int) throws(Rejection) -> Position? {
        var after: Position?
        if case .behind(let last) = place { after = last }
        let page = try read { [after] () throws(StoreError) in
            try store.heldEffects(in: numbers.partition, after: after, limit: limit)
        }
        for held in page {
            // Effects changed by a batch under way may still be read in their earlier form.
            guard var effect = try effect(held.id), effect.state == .held, !effect.isInterrupted else { continue }
            if let instance = try instance(of: effect), withholds(instance) { continue }
            // An effect that waited for its instance keeps its due time.
            if effect.isWithheld {
                effect.error = nil
            } else {
                effect.due = now
            }
            effect.state = .ready
            change(effect)
        }
        return page.count < limit ? nil : page.last?.id
    }
}

extension BatchBuilder {
    /// Starts a search for held effects if the instance is no longer suspended.
    ///
    /// - Parameter waiting: The effects of the instance before.
    func lookForHeld(of instance: LiveInstance, _ waiting: [EffectRecord], after before: Snapshot.Status) {
        guard before == .suspended, instance.state.snapshot.status != .suspended else { return }
        // Nothing records which calls belong to an instance.
        if instance.state.machine.hasCalls || waiting.contains(where: { $0.state == .held }) {
            parts.leases.lookForHeld()
        }
    }

    /// Returns true if no effect of an instance may start: the instance or its machine is suspended, whatever the
    /// instance's own status.
    func withholds(_ instance: LiveInstance) -> Bool {
        instance.state.snapshot.status == .suspended || isMachineSuspended(of: instance)
    }

    /// Holds a ready effect because its instance or its machine is suspended.
    mutating func withhold(_ effect: EffectRecord, of instance: LiveInstance) {
        var held = effect
        held.state = .held
        held.error =
            instance.state.snapshot.status == .suspended ? EffectRecord.withheld : EffectRecord.withheldByMachine
        change(held)
    }

    /// Withholds the ready effects of a queue up to the first that may start, and at most `limit`. Returns false if an
    /// effect may start, or if none is ready.
    mutating func withholdReady(in queue: String, limit: Int) throws(Rejection) -> Bool {
        let ready = try readyEffects(in: queue, limit: limit)
        for effect in ready {
            guard let instance = try instance(of: effect), withholds(instance) else { return false }
            withhold(effect, of: instance)
        }
        return !ready.isEmpty
    }
}

extension EffectRecord {
    /// The error of an effect that waits until its instance is resumed.
    fileprivate static let withheld = JSONWriter.string(
        ["message": "its instance is suspended", "type": "suspended"] as JSONValue)

    /// The error of an effect that waits until its machine is resumed.
    fileprivate static let withheldByMachine = JSONWriter.string(
        ["message": "its machine is suspended", "type": "suspended"] as JSONValue)

    fileprivate var isWithheld: Bool { error == Self.withheld || error == Self.withheldByMachine }
}

// MARK: Queues

extension BatchBuilder {
    /// Returns the concurrency and rate limits of a queue, with the changes applied so far.
    func settings(of queue: String) -> QueueSettings { record(of: queue)?.settings ?? .standard }

    /// Returns the settings that an operator made for a queue; `nil` for the defaults.
    func record(of queue: String) -> QueueRecord? {
        newest { $0.queues[queue] } ?? parts.leases.board.record(of: queue)
    }

    /// The greatest possible number of queues with settings.
    var settledQueues: Int { parts.leases.board.count + uncommittedCount { $0.queues.count } }

    /// True if no effect may start.
    var areEffectsHeld: Bool { newest({ $0.hold }) ?? parts.leases.board.isHeld }
}

extension Macrostep {
    /// Returns the effects that the macrostep begins, with their ids: the positions after its row.
    func effects(after row: Position) -> [(id: Position, request: EffectRequest, invocation: Pending.ID?)] {
        var next = row
        return requests.compactMap { asked in
            guard let request = asked.effect else { return nil }
            next = next.next
            return (next, request, asked.armed)
        }
    }

    /// Returns the ids of the effects of the invocations that the macrostep begins.
    func invocationPositions(after row: Position) -> [Pending.ID: Position] {
        var positions: [Pending.ID: Position] = [:]
        for effect in effects(after: row) { if let pending = effect.invocation { positions[pending] = effect.id } }
        return positions
    }
}
// MARK: Results

extension BatchBuilder {
    /// The result of an effect.
    struct EffectResult {
        /// `done.invoke.<id>` or `error.invoke.<id>`.
        let event: String
        let data: JSONValue?
        let key: RequestKey?
    }

    /// Gives an effect's result to its instance, or keeps the result until the instance can take it.
    ///
    /// - Precondition: The effect is live.
    mutating func end(_ effect: EffectRecord, with result: EffectResult, of instance: LiveInstance) {
        if effect.number == nil {
            return endCall(effect, isDone: !result.event.hasPrefix(EventName.failed), of: instance)
        }
        _ = suspendWithMachine(instance)
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
        take(result, of: pending, effect, of: instance)
    }

    /// Ends a call, whose result no instance waits for. A completed call is over; a failed call waits for an operator.
    private mutating func endCall(_ effect: EffectRecord, isDone: Bool, of instance: LiveInstance) {
        if isDone { return end(effect) }
        var failed = effect
        failed.state = .failed
        failed.lease = nil
        failed.worker = nil
        note(.stuck(failed, of: instance.state.record.name))
        change(failed)
    }

    private mutating func take(
        _ result: EffectResult, of pending: Pending, _ effect: EffectRecord, of instance: LiveInstance,
        at then: Timestamp? = nil
    ) {
        // The instance may fail on the result.
        change(effect)
        let event = Event(name: result.event, data: result.data, at: instance.state.time(at: then ?? now))
        let position = numbers.nextPosition
        switch instance.state.chain(.result(Taken(pending, result: event)), spending: &cost) {
        // Proof: the instance runs, as checked above; then `Machine` turns each refusal into a failure.
        case .failure: preconditionFailure("a result is taken, or the instance fails on it")
        case .success(let chain):
            let origin = RowOrigin(.process(in: instance.state.record.namespace), key: result.key)
            record(chain, of: instance, from: origin)
            remember(result.key, in: .instance(instance.state.record.id), at: position)
            brake(instance, after: chain.count, event: result.event)
        }
    }

    /// Continues the effects of an instance that itself continues. The instance receives the results that waited, in
    /// order of arrival, and before each the timers that were due earlier. Nothing here can fail.
    ///
    /// - Parameter known: The effects of the instance before, some of which may have ended since.
    mutating func goOn(_ known: [EffectRecord], of instance: LiveInstance) {
        for effect in known where effect.state == .held && effect.isWithheld && !isMachineSuspended(of: instance) {
            guard instance.state.invocation(of: effect.id) != nil, var ready = current(effect) else { continue }
            ready.state = .ready
            ready.error = nil
            change(ready)
        }
        for effect in known.filter({ $0.state == .answered }).sorted(by: { ($0.due, $0.id) < ($1.due, $1.id) }) {
            fireDue(of: instance, by: effect.due)
            guard instance.state.snapshot.status == .running else { return }
            guard let effect = current(effect), let pending = instance.state.invocation(of: effect.id),
                let text = effect.answer, let answer = RecordedFailure.object(text),
                case .string(let event)? = answer["event"]
            else { continue }
            if suspendWithMachine(instance) { return }
            let result = EffectResult(event: event, data: answer["data"], key: effect.answerKey)
            take(result, of: pending, effect, of: instance, at: effect.due)
        }
    }

    /// Returns the effects of an instance, which are looked up before anything is changed.
    func effects(of instance: LiveInstance) throws(Rejection) -> [EffectRecord] {
        var found: [EffectRecord] = []
        for id in instance.state.effects { if let effect = try effect(id) { found.append(effect) } }
        return found
    }

    /// Returns an effect that was looked up, with the changes of this batch so far; `nil` if it has ended.
    func current(_ known: EffectRecord) -> EffectRecord? { changes.effects[known.id].map(\.record) ?? known }
}
