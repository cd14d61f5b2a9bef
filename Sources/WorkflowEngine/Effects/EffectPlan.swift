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
        /// Of these, what is ready again: it was not found while it ran.
        var again: Set<Position> = []
        /// Whether the store may have something ready that is not here.
        var hasMore = false
        /// What was changed since the store was asked; nil when it is not being asked.
        var changed: Set<Position>?
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
    /// Bytes of requests that wait here.
    private let bytes: Int
    private var queues: [String: Queue] = [:]
    /// The queues of what waits here.
    private var queueOfWaiting: [Position: String] = [:]
    /// The queues of which the store is being asked.
    private var asked: Set<String> = []
    private var turns: Deque<String> = []
    private var dues = Heap<Due>()
    private var waitingBytes = 0
    private(set) var running = 0

    /// - Parameters:
    ///   - places: How many run at a time.
    ///   - bytes: Of requests that wait here.
    init(places: Int, bytes: Int) {
        self.places = places
        self.bytes = bytes
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
        var rest = turns.count
        while running < places, rest > 0, let name = turns.popFirst() {
            rest -= 1
            guard var queue = queues[name] else { continue }
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
            if let first = queue.waiting.popFirst() {
                waitingBytes -= first.effect.request.utf8.count
                queueOfWaiting[first.effect.id] = nil
                queue.running.insert(first.effect.id)
                queue.rate?.started(1, at: now)
                running += 1
                giveTurn(&queue, name)
                return .start(first)
            }
            guard queue.hasMore, queue.changed == nil else { continue }
            guard waitingBytes < bytes else {
                giveTurn(&queue, name)
                continue
            }
            queue.hasMore = false
            queue.changed = []
            asked.insert(name)
            // A few more than can start now, so that the store is not asked for each.
            return .find(queue: name, limit: 2 * room, except: queue.running)
        }
        return nil
    }

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
        guard var queue = queues[name] else { return }
        let changed = queue.changed ?? []
        queue.changed = nil
        for effect in effects where !changed.contains(effect.effect.id) && !queue.running.contains(effect.effect.id) {
            queue.waiting.append(effect)
            queueOfWaiting[effect.effect.id] = name
            waitingBytes += effect.effect.request.utf8.count
        }
        queue.hasMore = queue.hasMore || hasMore
        giveTurn(&queue, name)
        if let next { note(next, &queue, name) }
        keep(queue, name)
    }

    /// What the store has in a queue could not be found out.
    mutating func notFound(_ name: String, before time: Timestamp) {
        asked.remove(name)
        guard var queue = queues[name] else { return }
        queue.changed = nil
        note(time, &queue, name)
        keep(queue, name)
    }

    /// A queue may have something that is ready.
    mutating func expectMore(of name: String) {
        var queue = queues[name] ?? Queue()
        queue.hasMore = true
        giveTurn(&queue, name)
        keep(queue, name)
    }

    /// An attempt has ended, and what came of it is on disk or was given up.
    ///
    /// - Parameter isReached: Whether somebody has answered; nil when that was not found out.
    mutating func ended(_ id: Position, of name: String, isReached: Bool?) {
        guard var queue = queues[name], queue.running.remove(id) != nil else { return }
        running -= 1
        if queue.again.remove(id) != nil { queue.hasMore = true }
        if let isReached { queue.isSuspect = !isReached }
        giveTurn(&queue, name)
        keep(queue, name)
    }

    /// Takes over what is on disk. Gives the effects that run and are not what they were.
    mutating func adopt(_ batch: StoreBatch, at now: Timestamp, serves: (String) -> Bool) -> [Position] {
        var stopped = batch.endedEffects
        for id in batch.endedEffects { drop(id) }
        for effect in batch.changedEffects where serves(effect.queue) {
            drop(effect.id)
            stopped.append(effect.id)
        }
        for effect in batch.newEffects + batch.changedEffects where effect.state == .ready && serves(effect.queue) {
            if effect.due <= now {
                expectMore(of: effect.queue)
                if queues[effect.queue]?.running.contains(effect.id) == true {
                    queues[effect.queue]?.again.insert(effect.id)
                }
            } else {
                var queue = queues[effect.queue] ?? Queue()
                note(effect.due, &queue, effect.queue)
                keep(queue, effect.queue)
            }
        }
        return stopped
    }

    /// An effect is not what was found any more.
    private mutating func drop(_ id: Position) {
        for name in asked { queues[name]?.changed?.insert(id) }
        guard let name = queueOfWaiting.removeValue(forKey: id),
            let place = queues[name]?.waiting.firstIndex(where: { $0.effect.id == id }),
            let removed = queues[name]?.waiting.remove(at: place)
        else { return }
        waitingBytes -= removed.effect.request.utf8.count
        // An idle queue is not kept.
        if let queue = queues[name] { keep(queue, name) }
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

    private mutating func keep(_ queue: Queue, _ name: String) {
        queues[name] = queue.isIdle ? nil : queue
    }
}

/// An effect that is ready, and what its attempts have to know of its instance.
struct FoundEffect: Sendable {
    let effect: EffectRecord
    let instance: InstanceKey
    let uuid: UniqueID
}
