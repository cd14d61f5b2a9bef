import Statechart
import WorkflowJSON
import WorkflowStore

// MARK: Looking up

extension BatchBuilder {
    /// An effect as it is after what was applied so far; nil when it has ended.
    func effect(_ id: Position) throws(Rejection) -> EffectRecord? {
        if let change = uncommitted(id) { return change.record }
        if let known = recent.effect(id) { return known }
        return try read { () throws(StoreError) in try store.effect(id) }
    }

    /// The effects of a queue that can be taken, by priority, then by when they are due, then by age.
    func readyEffects(in queue: String, limit: Int) throws(Rejection) -> [EffectRecord] {
        // A clock that was set back hides nothing that was ready before.
        let due = max(now, numbers.last)
        let stored = try read { () throws(StoreError) in
            try store.readyEffects(queue: queue, due: due, limit: limit) { id in
                uncommitted(id) != nil
            }
        }
        let changed = readied(in: queue, by: due)
        if changed.isEmpty { return stored }
        let ready = stored + changed
        return Array(ready.sorted { ($0.priority, $0.due, $0.id) < ($1.priority, $1.due, $1.id) }.prefix(limit))
    }

    /// What of a queue is ready that was made so and is not committed.
    private func readied(in queue: String, by due: Timestamp) -> [EffectRecord] {
        var ids: Set<Position> = []
        for batch in underWay + [changes] { ids.formUnion(batch.readied[queue] ?? []) }
        return ids.compactMap { id in
            // Something else may have become of it since.
            guard let record = uncommitted(id)?.record, record.state == .ready, record.due <= due else { return nil }
            return record
        }
    }

    /// What was done last to an effect that is not committed.
    private func uncommitted(_ id: Position) -> EffectChange? { newest { $0.effects[id] } }

    /// How many more leases of a queue there may be, whatever its rate; no more than are wanted.
    func leaseRoom(in queue: String, _ settings: QueueSettings, wanted: Int) -> Int {
        var count = leases.count(in: queue)
        // Each of these may be one more: they are looked at only where that matters.
        if leases.bound(settings) - count - uncommittedCount(\.effects.count) >= wanted { return wanted }
        var effects: [Position: EffectChange] = [:]
        for batch in underWay + [changes] { effects.merge(batch.effects) { _, new in new } }
        for (id, change) in effects {
            let isLeased = change.record.map { $0.queue == queue && $0.state == .leased } ?? false
            count += (isLeased ? 1 : 0) - (leases.knows(id, in: queue) ? 1 : 0)
        }
        return min(wanted, max(0, leases.bound(settings) - count))
    }

    /// When a queue has something ready next; nil when nothing waits. What is not committed is told when it is.
    ///
    /// - Parameter time: Only what is due after it; nil for all.
    func nextReady(in queue: String, after time: Timestamp? = nil) throws(Rejection) -> Timestamp? {
        try read { () throws(StoreError) in try store.nextReady(queue: queue, after: time) }
    }
}

extension BatchBuilder {
    /// The queues that have anything, in the order of their names.
    func queues(after name: String?, limit: Int) throws(Rejection) -> [String] {
        try read { () throws(StoreError) in try store.queues(after: name, limit: limit) }
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

    /// Ends an effect whose result nobody waits for.
    mutating func end(_ record: EffectRecord) {
        changes.effects[record.id] = EffectChange(record: nil, isNew: changes.effects[record.id]?.isNew ?? false)
    }

    /// Begins and ends effects as a macrostep asks; one that its instance failed on waits for a person. A call ends by
    /// itself, whatever becomes of its instance.
    ///
    /// - Parameter before: The effects of the instance before it.
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

    /// Looks up the effect of what an instance may fail on, before anything is changed: afterwards nothing may fail.
    mutating func lookUp(_ pending: Pending, of instance: LiveInstance) throws(Rejection) {
        guard let name = pending.invocation, instance.state.machine.hasInvocations else { return }
        for id in instance.state.effects where instance.state.invocation(of: id)?.invocation == name {
            if let effect = try effect(id) { change(effect) }
        }
    }

    /// The effect on whose end an instance has failed waits for a person. It was looked up.
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
    /// Lets effects that were held be tried again; gives the last that was looked at, nil behind the last of all.
    mutating func readyHeld(from place: LeaseTable.HeldPlace, limit: Int) throws(Rejection) -> Position? {
        var after: Position?
        if case .behind(let last) = place { after = last }
        let page = try read { [after] () throws(StoreError) in try store.heldEffects(after: after, limit: limit) }
        for held in page {
            // What a batch under way has changed may still be read as it was.
            guard var effect = try effect(held.id), effect.state == .held, !effect.isInterrupted else { continue }
            if let instance = try instance(of: effect), withholds(instance) { continue }
            // What waited for its instance is due when it was.
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
    /// Lets what was held of an instance be looked for, when that is not suspended any more.
    ///
    /// - Parameter waiting: Its effects before.
    func lookForHeld(of instance: LiveInstance, _ waiting: [EffectRecord], after before: Snapshot.Status) {
        guard before == .suspended, instance.state.snapshot.status != .suspended else { return }
        // Nothing says which calls are an instance's.
        if instance.state.machine.hasCalls || waiting.contains(where: { $0.state == .held }) { leases.lookForHeld() }
    }

    /// Whether no effect of an instance starts: it is suspended, or its machine is, whatever its own status.
    func withholds(_ instance: LiveInstance) -> Bool {
        instance.state.snapshot.status == .suspended || isMachineSuspended(of: instance)
    }

    /// Keeps an effect from starting that is ready, because its instance or its machine is suspended.
    mutating func withhold(_ effect: EffectRecord, of instance: LiveInstance) {
        var held = effect
        held.state = .held
        held.error =
            instance.state.snapshot.status == .suspended ? EffectRecord.withheld : EffectRecord.withheldByMachine
        change(held)
    }

    /// Withholds what is ready in a queue, at most so many effects, up to the first that may start. False where there
    /// is such a one, or where nothing is ready.
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
    /// The error of what waits until its instance is resumed.
    fileprivate static let withheld = JSONWriter.string(
        ["message": "its instance is suspended", "type": "suspended"] as JSONValue)

    /// The error of what waits until its machine is resumed.
    fileprivate static let withheldByMachine = JSONWriter.string(
        ["message": "its machine is suspended", "type": "suspended"] as JSONValue)

    fileprivate var isWithheld: Bool { error == Self.withheld || error == Self.withheldByMachine }
}

// MARK: Queues

extension BatchBuilder {
    /// How much of a queue may run, and how fast, after what was applied so far.
    func settings(of queue: String) -> QueueSettings { record(of: queue)?.settings ?? .standard }

    /// What somebody has set for a queue; nil for the defaults.
    func record(of queue: String) -> QueueRecord? {
        newest { $0.queues[queue] } ?? leases.board.record(of: queue)
    }

    /// How many queues have settings, at most.
    var settledQueues: Int { leases.board.count + uncommittedCount(\.queues.count) }

    /// Whether no effect starts.
    var areEffectsHeld: Bool { newest(\.hold) ?? leases.board.isHeld }
}

extension Macrostep {
    /// The effects that it begins, and their ids: the places behind its row.
    func effects(after row: Position) -> [(id: Position, request: EffectRequest, invocation: Pending.ID?)] {
        var next = row
        return requests.compactMap { asked in
            guard let request = asked.effect else { return nil }
            next = next.next
            return (next, request, asked.armed)
        }
    }

    /// The ids of the effects of the invocations that it begins.
    func invocationPositions(after row: Position) -> [Pending.ID: Position] {
        var positions: [Pending.ID: Position] = [:]
        for effect in effects(after: row) { if let pending = effect.invocation { positions[pending] = effect.id } }
        return positions
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

    /// Nobody waits for the end of a call: one that is done is over, one that has failed waits for a person.
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
        // The instance may fail on it.
        change(effect)
        let event = Event(name: result.event, data: result.data, at: instance.state.time(at: then ?? now))
        let position = numbers.nextPosition
        switch instance.state.chain(.result(Taken(pending, result: event)), spending: &cost) {
        // Proof: it runs, as was seen above; then `Machine` makes a failure of each refusal.
        case .failure: preconditionFailure("a result is taken, or the instance fails on it")
        case .success(let chain):
            let origin = RowOrigin(.process(in: instance.state.record.namespace), key: result.key)
            record(chain, of: instance, from: origin)
            remember(result.key, in: .instance(instance.state.record.id), at: position)
            brake(instance, after: chain.count, event: result.event)
        }
    }

    /// Lets the effects of an instance go on that goes on itself: gives it the results that waited, in the order in
    /// which they came, and before each the timers that were due earlier. Nothing of it can fail.
    ///
    /// - Parameter known: Its effects before, of which some may have ended since.
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

    /// The effects of an instance, looked up before anything is changed.
    func effects(of instance: LiveInstance) throws(Rejection) -> [EffectRecord] {
        var found: [EffectRecord] = []
        for id in instance.state.effects { if let effect = try effect(id) { found.append(effect) } }
        return found
    }

    /// An effect that was looked up, as this batch leaves it so far; nil when it has ended.
    func current(_ known: EffectRecord) -> EffectRecord? { changes.effects[known.id].map(\.record) ?? known }
}
