import Statechart
import WorkflowStore

// Leases that expire, beside the commands.

extension Lane {
    /// Loads the leases that were given before the start.
    func resumeLeases() throws(StoreError) {
        let now = clock.now()
        var after: Position?
        repeat {
            let page = try store.leasedEffects(in: partition, after: after, limit: limits.batchRows)
            for effect in page { try leases.resume(effect, at: now) }
            after = page.count < limits.batchRows ? nil : page.last?.id
        } while after != nil
    }

    /// Fails the attempts whose leases have expired, within half a batch.
    func expireLeases(into builder: inout BatchBuilder, since begin: ContinuousClock.Instant) {
        while !waitsForMachine, applier.isOpen(builder, since: begin, share: 2),
            let (effect, secret) = leases.popExpired(by: builder.now)
        {
            do throws(Rejection) {
                try builder.expire(effect, secret: secret)
            } catch {
                waitsForMachine = error.wait != nil
                // Rows that cannot be read now may be readable soon.
                let pause: Int64 = waitsForMachine ? 0 : 1_000
                leases.postpone(effect, until: Timestamp(rawValue: builder.now.rawValue + pause))
                return
            }
        }
    }

    /// Makes effects that were held for a missing requirement ready again, within half a batch.
    func readyHeld(into builder: inout BatchBuilder, since begin: ContinuousClock.Instant) {
        while !areTimersResting, !waitsForMachine, let place = leases.heldPlace,
            applier.isOpen(builder, since: begin, share: 2)
        {
            do throws(Rejection) {
                leases.lookedForHeld(upTo: try builder.readyHeld(from: place, limit: max(1, limits.batchRows / 4)))
            } catch {
                if error.wait != nil {
                    waitsForMachine = true
                    return
                }
                // Rows that cannot be read now may be readable soon.
                return rest()
            }
        }
    }
}

// MARK: Workers, for whom a virtual clock stops

/// The tasks at which a virtual clock must stop.
struct WaitingTasks {
    /// The first queues, in order, in which a worker has a task or could have one now.
    var queues: [String] = []
    /// The time at which the next task is ready; `nil` if none is known.
    var next: Timestamp?
}

extension Lane {
    /// The most queues that an answer names.
    private static let toldQueues = 20

    /// Finds the tasks that workers have, or could have by now. Reads a few rows of each queue.
    func waitingTasks() throws(StoreError) -> WaitingTasks {
        var queues = Set(leases.queues)
        var next: Timestamp?
        var after: String? = leases.board.isHeld ? nil : EffectRequest.tasks
        while let last = after {
            let page = try store.queues(in: partition, after: last, limit: limits.batchRows)
            let own = page.prefix { $0.hasPrefix(EffectRequest.tasks) }
            for queue in own {
                // No worker gets a task from a paused queue.
                let settings = leases.board.settings(of: queue)
                if settings.isPaused || settings.concurrency == 0 { continue }
                guard let ready = try nextTask(in: queue) else { continue }
                // The queue's rate may delay the start.
                let due = max(ready, leases.nextStart(in: queue, settings, at: clock.now()) ?? ready)
                if due <= clock.now() { queues.insert(queue) } else { next = min(next ?? due, due) }
            }
            after = own.count == limits.batchRows ? own.last : nil
        }
        return WaitingTasks(queues: Array(queues.sorted().prefix(Self.toldQueues)), next: next)
    }

    /// Returns the time at which a worker could have a task of a queue; `nil` if none waits. No worker gets a task of a
    /// suspended instance: its ready tasks are held, as when a worker asks.
    private func nextTask(in queue: String) throws(StoreError) -> Timestamp? {
        var limit = 1
        while let due = try store.nextReady(in: partition, queue: queue, after: nil) {
            if due > clock.now() { return due }
            var builder = applier.begin(after: [])
            // The clock stops at an instance that cannot be read; a worker that asks gets the error.
            let holdsAll = (try? builder.withholdReady(in: queue, limit: limit)) ?? false
            try commit(&builder)
            if !holdsAll { return due }
            limit = limits.passedAtOnce
        }
        return nil
    }

    /// Makes all held effects ready again. Before a clock is moved, the effects of resumed instances must be ready.
    func readyAllHeld() throws(StoreError) {
        while leases.heldPlace != nil, !areTimersResting, !waitsForMachine {
            var builder = applier.begin(after: [])
            readyHeld(into: &builder, since: .now)
            try commit(&builder)
        }
    }
}

extension BatchBuilder {
    /// True if the batch has made a task ready, now or for later.
    var hasReadiedTasks: Bool { changes.readied.keys.contains { $0.hasPrefix(EffectRequest.tasks) } }
}
