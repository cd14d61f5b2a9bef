import DequeModule
import HeapModule
import WorkflowStore

/// Which effects run, and which come next: the queues take turns, and each has places of its own. What waits stands in
/// the store; of each queue only the next few are here.
struct EffectPlan {
    /// What is to be done.
    enum Step {
        case start(FoundEffect)
        /// To find what a queue has ready.
        case find(queue: String, limit: Int, except: Set<Position>)
    }

    private struct Queue {
        /// What comes next, in its order.
        var waiting: Deque<FoundEffect> = []
        var running: Set<Position> = []
        /// Of these, what is ready again, now or later: it is not found while it runs.
        var again: Set<Position> = []
        /// Whether the store may have something ready that is not here.
        var hasMore = false
        /// What was changed since the store was asked; nil when it is not being asked.
        var changed: Set<Position>?
        /// Instances that were suspended since then: of these nothing that is found may start.
        var suspended: Set<InstanceID> = []
        /// Whether a machine was suspended since then: nothing that is found may start.
        var isStale = false
        /// When there is something ready next, as far as is known.
        var next: Timestamp?
        /// Whether it has a turn.
        var isInTurn = false
        /// Whether the last attempt that ended has reached nobody: then one at a time is enough to find out more.
        var isSuspect = false
        /// What has started lately, where that is bounded.
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

    /// How many run at a time.
    private let places: Int
    /// Bytes of what waits here.
    private let bytes: Int
    /// Effects of a queue that wait here as they have begun.
    private let begun: Int
    private var queues: [String: Queue] = [:]
    /// The queues of what waits here.
    private var queueOfWaiting: [Position: String] = [:]
    /// The queues of which the store is being asked.
    private var asked: Set<String> = []
    private var turns: Deque<String> = []
    private var dues = Heap<Due>()
    private var waitingBytes = 0
    private(set) var running = 0
    /// The effect that runs alone now or next, and its queue. No other effect may start meanwhile.
    private var serial: (effect: Position, queue: String)?

    /// - Parameters:
    ///   - places: How many run at a time.
    ///   - bytes: Of what waits here.
    ///   - begun: Effects of a queue that wait here as they have begun.
    init(places: Int, bytes: Int, begun: Int) {
        self.places = places
        self.bytes = bytes
        self.begun = begun
    }

    /// When a queue has something ready next that has nothing now; nil for never, as far as is known.
    var nextDue: Timestamp? { dues.min?.time }

    /// Whether nothing runs and nothing is known to be ready.
    var isSettled: Bool { running == 0 && turns.isEmpty && asked.isEmpty }

    /// What to do now; nil when there is nothing before something changes.
    ///
    /// - Parameter settings: How many of a queue may run at a time, and how fast they may start.
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
            // It has a turn again when one of its own has ended, or when something is set.
            guard room > 0 else { continue }
            if queue.rate?.count != rate?.count || queue.rate?.milliseconds != rate?.milliseconds { queue.rate = rate }
            if let next = queue.rate?.next(at: now), next > now {
                note(next, &queue, name)
                continue
            }
            // The last quarter is for those that have none, so that hosts that answer nobody do not take all.
            guard running < self.places - self.places / 4 || (queue.running.isEmpty && !queue.isSuspect) else {
                giveTurn(&queue, name)
                continue
            }
            let window = 2 * (queue.isSuspect ? 1 : places)
            // All of a short queue: what it begins from then on needs not be found. One at a time, while there is room.
            let isLarge = !queue.isSuspect && asked.isEmpty && waitingBytes <= bytes / 8
            let most = isLarge ? max(window, begun) : window
            // Before nothing is left to start, and many at once: to find one more passes all that run.
            // Where others take all the room, each has room for one.
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
                // It starts before any other, as soon as all running effects have ended.
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

    /// How many of a queue run.
    func running(in name: String) -> Int { queues[name]?.running.count ?? 0 }

    /// What is due by now may be ready.
    mutating func expectDue(at now: Timestamp) {
        while let due = dues.min, due.time <= now {
            dues.removeMin()
            guard queues[due.queue]?.next == due.time else { continue }
            queues[due.queue]?.next = nil
            expectMore(of: due.queue)
        }
    }

    /// Takes what the store has ready in a queue.
    ///
    /// - Parameter next: When it has something ready next that is not now.
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

    /// What the store has in a queue could not be found out.
    mutating func notFound(_ name: String, before time: Timestamp) {
        asked.remove(name)
        guard var queue = queues.removeValue(forKey: name) else { return }
        queue.changed = nil
        queue.suspended = []
        queue.isStale = false
        note(time, &queue, name)
        keep(queue, name)
    }

    /// A queue may have something that is ready.
    mutating func expectMore(of name: String) {
        var queue = queues.removeValue(forKey: name) ?? Queue()
        queue.hasMore = true
        giveTurn(&queue, name)
        keep(queue, name)
    }

    /// An attempt has ended, and what came of it is on disk or was given up. Gives whether more than one may start in
    /// its place.
    ///
    /// - Parameter isReached: Whether somebody has answered; nil when that was not found out.
    mutating func ended(_ id: Position, of name: String, isReached: Bool?) -> Bool {
        guard queues[name]?.running.remove(id) != nil, var queue = queues.removeValue(forKey: name) else { return true }
        running -= 1
        if queue.again.remove(id) != nil { queue.hasMore = true }
        let wasSuspect = queue.isSuspect
        if let isReached { queue.isSuspect = !isReached }
        giveTurn(&queue, name)
        defer { keep(queue, name) }
        // A queue that has none may take of the last quarter, and leaves its place before it to another.
        let leavesTwo = queue.isInTurn && queue.running.isEmpty && turns.count > 1 && running < places - places / 4
        // After an effect that ran alone, several can start.
        let leavesAll = serial != nil && running == 0
        return leavesTwo || leavesAll || (wasSuspect && !queue.isSuspect)
    }

    /// Takes over what is on disk. Gives the effects that run and are not what they were.
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
            // It may be due before its place is free.
            if queues[effect.queue]?.running.contains(effect.id) == true {
                queues[effect.queue]?.again.insert(effect.id)
            }
        }
        return stopped
    }

    /// Lets nothing of instances start that waits here: it is found again, and held then. What runs ends as it would.
    private mutating func withhold(_ instances: Set<InstanceID>) {
        for name in asked { queues[name]?.suspended.formUnion(instances) }
        for name in Set(queueOfWaiting.values) {
            let dropped = queues[name]?.waiting.filter { instances.contains($0.effect.instanceID) } ?? []
            for found in dropped { drop(found.effect.id) }
            if !dropped.isEmpty { expectMore(of: name) }
        }
    }

    /// Lets nothing start that waits here, because a machine was suspended: it is found again, and what is of that
    /// machine is held then.
    private mutating func findAnew() {
        for name in asked { queues[name]?.isStale = true }
        for (id, name) in queueOfWaiting {
            drop(id)
            expectMore(of: name)
        }
    }

    /// Whether what has just begun comes behind all that is ready of its queue, and that is here: then it needs not be
    /// found in the store.
    private func canBeNext(_ effect: EffectRecord) -> Bool {
        // Half of the room is for what is found, and hosts that answer nobody get none.
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

    /// It is ready in its time.
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

    /// An effect is not what was found any more.
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

    /// Puts a queue back that was taken out to be changed, so that what it has was not copied. One that is idle is not
    /// kept.
    private mutating func keep(_ queue: Queue, _ name: String) {
        queues[name] = queue.isIdle ? nil : queue
    }
}

/// An effect that is ready, and what its attempts have to know of its instance.
struct FoundEffect: Sendable {
    let effect: EffectRecord
    let instance: InstanceKey
    let uuid: UniqueID
    /// True when no other effect may run beside it, because the process did not outlive its last attempts.
    var runsAlone = false

    /// About the bytes that it takes in memory.
    fileprivate var size: Int { 1_024 + effect.request.utf8.count }
}

extension StoreBatch {
    /// Those that it changes, by their ids.
    fileprivate var instances: [InstanceID: InstanceRecord] {
        var instances: [InstanceID: InstanceRecord] = [:]
        instances.reserveCapacity(newInstances.count + changedInstances.count)
        for instance in newInstances { instances[instance.id] = instance }
        for instance in changedInstances { instances[instance.id] = instance }
        return instances
    }
}
