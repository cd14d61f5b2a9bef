import DequeModule
import HeapModule
import WorkflowStore

/// Decides which effects run and which come next: the queues take turns, and each has places of its own. Waiting
/// effects stay in the store; the plan holds only the next few of each queue.
struct EffectPlan {
    /// The next action.
    enum Step {
        case start(FoundEffect)
        /// Find the ready effects of a queue.
        case find(queue: String, limit: Int, except: Set<Position>)
    }

    private struct Queue {
        /// The next effects, in order.
        var waiting: Deque<FoundEffect> = []
        var running: Set<Position> = []
        /// Running effects that are ready again, now or later; a running effect is not found.
        var again: Set<Position> = []
        /// True if the store may have ready effects that are not in the plan.
        var hasMore = false
        /// The effects changed since the store was asked; `nil` if no query is under way.
        var changed: Set<Position>?
        /// The instances suspended since the query began; none of their found effects may start.
        var suspended: Set<InstanceID> = []
        /// True if a machine was suspended since the query began; then no found effect may start.
        var isStale = false
        /// The time at which the queue next has a ready effect, as far as is known.
        var next: Timestamp?
        /// True if the queue has a turn.
        var isInTurn = false
        /// True if the last attempt that ended reached no service; then one attempt at a time is enough to probe the
        /// service.
        var isSuspect = false
        /// The recent starts, if their rate is limited.
        var rate: StartRate?

        var isIdle: Bool {
            waiting.isEmpty && running.isEmpty && !hasMore && changed == nil && next == nil && rate == nil
        }
    }

    private struct Due: Comparable {
        let time: Timestamp
        let queue: String

        static func < (lhs: Due, rhs: Due) -> Bool { (lhs.time, lhs.queue) < (rhs.time, rhs.queue) }
    }

    /// The number of effects that run at a time.
    private let places: Int
    /// The bytes of waiting effects in the plan.
    private let bytes: Int
    /// The effects of a queue that wait in the plan from their begin on.
    private let begun: Int
    private var queues: [String: Queue] = [:]
    /// The queues of the waiting effects in the plan.
    private var queueOfWaiting: [Position: String] = [:]
    /// The queues for which a query of the store is under way.
    private var asked: Set<String> = []
    private var turns: Deque<String> = []
    private var dues = Heap<Due>()
    private var waitingBytes = 0
    private(set) var running = 0
    /// The effect that runs alone now or next, and its queue. No other effect may start meanwhile.
    private var serial: (effect: Position, queue: String)?

    /// - Parameters:
    ///   - places: The number of effects that run at a time.
    ///   - bytes: The bytes of waiting effects in the plan.
    ///   - begun: The effects of a queue that wait in the plan from their begin on.
    init(places: Int, bytes: Int, begun: Int) {
        self.places = places
        self.bytes = bytes
        self.begun = begun
    }

    /// The time at which a queue without ready effects next has one; `nil` for never, as far as is known.
    var nextDue: Timestamp? { dues.min?.time }

    /// True if nothing runs and nothing is known to be ready.
    var isSettled: Bool { running == 0 && turns.isEmpty && asked.isEmpty }

    /// Returns the next action; `nil` if there is nothing to do before something changes.
    ///
    /// - Parameter settings: Returns how many effects of a queue may run at a time, and how fast they may start.
    mutating func next(
        at now: Timestamp, settings: (String) -> (places: Int, rate: StartRate?)
    ) -> Step? {
        expectDue(at: now)
        if let alone = serial, running > 0 {
            let isRunning = queues[alone.queue]?.running.contains(alone.effect) == true
            if isRunning || queueOfWaiting[alone.effect] != nil { return nil }
            serial = nil
        }
        var rest = turns.count
        while running < places, rest > 0, let name = turns.popFirst() {
            rest -= 1
            guard var queue = queues.removeValue(forKey: name) else { continue }
            defer { keep(queue, name) }
            queue.isInTurn = false
            let (places, rate) = settings(name)
            let room = (queue.isSuspect ? min(1, places) : places) - queue.running.count
            // The queue gets a turn again when one of its effects has ended, or when its settings change.
            guard room > 0 else { continue }
            if queue.rate?.count != rate?.count || queue.rate?.milliseconds != rate?.milliseconds { queue.rate = rate }
            if let next = queue.rate?.next(at: now), next > now {
                note(next, &queue, name)
                continue
            }
            // The last quarter is for queues without running effects, so that unresponsive hosts do not take all
            // places.
            guard running < self.places - self.places / 4 || (queue.running.isEmpty && !queue.isSuspect) else {
                giveTurn(&queue, name)
                continue
            }
            let window = 2 * (queue.isSuspect ? 1 : places)
            // A large query finds all effects of a short queue, so effects that begin later need no query. Only one
            // query runs at a time, while there is room.
            let isLarge = !queue.isSuspect && asked.isEmpty && waitingBytes <= bytes / 8
            let most = isLarge ? max(window, begun) : window
            // Asks before the waiting effects run out, and for many at once, because each query skips all running
            // effects. If other queues take all the room, each queue has room for one effect.
            let (hasRoom, isAlone) = (waitingBytes < bytes, queue.waiting.isEmpty && queue.running.isEmpty)
            if queue.hasMore, queue.changed == nil, queue.waiting.count <= window / 4, hasRoom || isAlone {
                queue.hasMore = false
                queue.changed = []
                asked.insert(name)
                giveTurn(&queue, name)
                let known = queue.running.union(queue.waiting.lazy.map(\.effect.id))
                return .find(queue: name, limit: hasRoom ? most : 1, except: known)
            }
            if running > 0, let first = queue.waiting.first, first.runsAlone {
                // The effect starts before any other, as soon as all running effects have ended.
                serial = (first.effect.id, name)
                queue.isInTurn = true
                turns.prepend(name)
                return nil
            }
            if let first = queue.waiting.popFirst() {
                serial = first.runsAlone ? (first.effect.id, name) : nil
                waitingBytes -= first.size
                queueOfWaiting[first.effect.id] = nil
                queue.running.insert(first.effect.id)
                queue.rate?.started(1, at: now)
                running += 1
                giveTurn(&queue, name)
                return .start(first)
            }
            giveTurn(&queue, name)
        }
        return nil
    }

    /// Returns the number of running effects of a queue.
    func running(in name: String) -> Int { queues[name]?.running.count ?? 0 }

    /// Marks queues with effects due by now as having more.
    mutating func expectDue(at now: Timestamp) {
        while let due = dues.min, due.time <= now {
            dues.removeMin()
            guard queues[due.queue]?.next == due.time else { continue }
            queues[due.queue]?.next = nil
            expectMore(of: due.queue)
        }
    }

    /// Adds the ready effects that the store has in a queue.
    ///
    /// - Parameter next: The time at which the queue next has an effect that is not ready now.
    mutating func found(_ effects: [FoundEffect], of name: String, hasMore: Bool, next: Timestamp?) {
        asked.remove(name)
        guard var queue = queues.removeValue(forKey: name) else { return }
        let changed = queue.changed ?? []
        let suspended = queue.suspended
        let isStale = queue.isStale
        queue.changed = nil
        queue.suspended = []
        queue.isStale = false
        for effect in effects where !changed.contains(effect.effect.id) && !queue.running.contains(effect.effect.id) {
            if isStale || suspended.contains(effect.effect.instanceID) { continue }
            append(effect, to: &queue, name)
        }
        queue.hasMore = queue.hasMore || hasMore || isStale || !suspended.isEmpty
        giveTurn(&queue, name)
        if let next { note(next, &queue, name) }
        keep(queue, name)
    }

    /// Records that a query for a queue's effects failed.
    mutating func notFound(_ name: String, before time: Timestamp) {
        asked.remove(name)
        guard var queue = queues.removeValue(forKey: name) else { return }
        queue.changed = nil
        queue.suspended = []
        queue.isStale = false
        note(time, &queue, name)
        keep(queue, name)
    }

    /// Records that a queue may have a ready effect.
    mutating func expectMore(of name: String) {
        var queue = queues.removeValue(forKey: name) ?? Queue()
        queue.hasMore = true
        giveTurn(&queue, name)
        keep(queue, name)
    }

    /// Ends an attempt whose outcome is on disk or was given up. Returns true if more than one effect may start in its
    /// place.
    ///
    /// - Parameter isReached: True if a service has answered; `nil` if that is unknown.
    mutating func ended(_ id: Position, of name: String, isReached: Bool?) -> Bool {
        guard queues[name]?.running.remove(id) != nil, var queue = queues.removeValue(forKey: name) else { return true }
        running -= 1
        if queue.again.remove(id) != nil { queue.hasMore = true }
        let wasSuspect = queue.isSuspect
        if let isReached { queue.isSuspect = !isReached }
        giveTurn(&queue, name)
        defer { keep(queue, name) }
        // A queue with no running effects may use the last quarter, and leaves its place before it to another queue.
        let leavesTwo = queue.isInTurn && queue.running.isEmpty && turns.count > 1 && running < places - places / 4
        // After an effect that ran alone, several can start.
        let leavesAll = serial != nil && running == 0
        return leavesTwo || leavesAll || (wasSuspect && !queue.isSuspect)
    }

    /// Adopts a committed batch. Returns the effects that have changed or ended; attempts at them may still run.
    mutating func adopt(_ batch: StoreBatch, at now: Timestamp, serves: (String) -> Bool) -> [Position] {
        // A clock that was set back hides nothing that is ready.
        let now = max(now, batch.numbers.last)
        var stopped = batch.endedEffects
        for id in batch.endedEffects { drop(id) }
        for effect in batch.changedEffects where serves(effect.queue) {
            drop(effect.id)
            stopped.append(effect.id)
        }
        if !batch.suspended.isEmpty { withhold(batch.suspended) }
        if batch.changedSettings.contains(where: \.isSuspended) { findAnew() }
        var owners: [InstanceID: InstanceRecord]?
        for effect in batch.newEffects where effect.state == .ready && serves(effect.queue) {
            guard effect.due <= now, canBeNext(effect) else {
                expect(effect, at: now)
                continue
            }
            let known = owners ?? batch.instances
            owners = known
            guard let owner = known[effect.instanceID], owner.status != .suspended else {
                expect(effect, at: now)
                continue
            }
            take(FoundEffect(effect: effect, instance: InstanceKey(owner.name, in: owner.namespace), uuid: owner.uuid))
        }
        for effect in batch.changedEffects where effect.state == .ready && serves(effect.queue) {
            expect(effect, at: now)
            // The effect may be due before its place is free.
            if queues[effect.queue]?.running.contains(effect.id) == true {
                queues[effect.queue]?.again.insert(effect.id)
            }
        }
        return stopped
    }

    /// Removes the waiting effects of suspended instances; they are found again, and held then. Running effects end as
    /// usual.
    private mutating func withhold(_ instances: Set<InstanceID>) {
        for name in asked { queues[name]?.suspended.formUnion(instances) }
        for name in Set(queueOfWaiting.values) {
            let dropped = queues[name]?.waiting.filter { instances.contains($0.effect.instanceID) } ?? []
            for found in dropped { drop(found.effect.id) }
            if !dropped.isEmpty { expectMore(of: name) }
        }
    }

    /// Removes all waiting effects because a machine was suspended. The effects are found again, and those of the
    /// machine are held then.
    private mutating func findAnew() {
        for name in asked { queues[name]?.isStale = true }
        for (id, name) in queueOfWaiting {
            drop(id)
            expectMore(of: name)
        }
    }

    /// Returns true if a new effect comes after all ready effects of its queue, and all of these are in the plan. Then
    /// the effect need not be found in the store.
    private func canBeNext(_ effect: EffectRecord) -> Bool {
        // Half of the room is for effects that are found, and unresponsive hosts get none of the other half.
        guard waitingBytes < bytes / 2 else { return false }
        guard let queue = queues[effect.queue] else { return true }
        guard !queue.hasMore, queue.changed == nil, !queue.isSuspect, queue.waiting.count < begun else { return false }
        guard let last = queue.waiting.last?.effect else { return true }
        return (last.priority, last.due, last.id) < (effect.priority, effect.due, effect.id)
    }

    private mutating func take(_ begun: FoundEffect) {
        let name = begun.effect.queue
        var queue = queues.removeValue(forKey: name) ?? Queue()
        append(begun, to: &queue, name)
        giveTurn(&queue, name)
        keep(queue, name)
    }

    /// Expects an effect at its due time.
    private mutating func expect(_ effect: EffectRecord, at now: Timestamp) {
        if effect.due <= now { return expectMore(of: effect.queue) }
        var queue = queues.removeValue(forKey: effect.queue) ?? Queue()
        note(effect.due, &queue, effect.queue)
        keep(queue, effect.queue)
    }

    private mutating func append(_ found: FoundEffect, to queue: inout Queue, _ name: String) {
        queue.waiting.append(found)
        queueOfWaiting[found.effect.id] = name
        waitingBytes += found.size
    }

    /// Drops an effect that has changed since it was found.
    private mutating func drop(_ id: Position) {
        for name in asked { queues[name]?.changed?.insert(id) }
        guard let name = queueOfWaiting.removeValue(forKey: id),
            let place = queues[name]?.waiting.firstIndex(where: { $0.effect.id == id }),
            let removed = queues[name]?.waiting.remove(at: place)
        else { return }
        waitingBytes -= removed.size
        if queues[name]?.isIdle == true { queues[name] = nil }
    }

    private mutating func giveTurn(_ queue: inout Queue, _ name: String) {
        guard !queue.isInTurn, !queue.waiting.isEmpty || (queue.hasMore && queue.changed == nil) else { return }
        queue.isInTurn = true
        turns.append(name)
    }

    private mutating func note(_ time: Timestamp, _ queue: inout Queue, _ name: String) {
        if let known = queue.next, known <= time { return }
        queue.next = time
        dues.insert(Due(time: time, queue: name))
    }

    /// Puts a queue back that was taken out to be changed without copying its contents. An idle queue is not kept.
    private mutating func keep(_ queue: Queue, _ name: String) {
        queues[name] = queue.isIdle ? nil : queue
    }
}

/// A ready effect, with the facts about its instance that its attempts need.
struct FoundEffect: Sendable {
    let effect: EffectRecord
    let instance: InstanceKey
    let uuid: UniqueID
    /// True if no other effect may run beside it, because the process did not outlive its last attempts.
    var runsAlone = false

    /// The approximate number of bytes that the effect takes in memory.
    fileprivate var size: Int { 1_024 + effect.request.utf8.count }
}

extension StoreBatch {
    /// The instances that the batch begins or changes, by id.
    fileprivate var instances: [InstanceID: InstanceRecord] {
        var instances: [InstanceID: InstanceRecord] = [:]
        instances.reserveCapacity(newInstances.count + changedInstances.count)
        for instance in newInstances { instances[instance.id] = instance }
        for instance in changedInstances { instances[instance.id] = instance }
        return instances
    }
}
