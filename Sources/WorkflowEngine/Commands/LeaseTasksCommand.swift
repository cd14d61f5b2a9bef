import Statechart
import WorkflowJSON
import WorkflowStore

/// Leases tasks of a queue to a worker.
package struct LeaseTasksCommand: Sendable {
    /// The name of the queue without `task:`.
    package var queue: String
    package var max: Int
    /// The milliseconds that each task may take without a sign of life.
    package var milliseconds: Int64
    /// The worker's name for itself.
    package var worker: String
    package var caller: Caller

    package init(queue: String, max: Int, milliseconds: Int64, worker: String, by caller: Caller) {
        self.queue = queue
        self.max = max
        self.milliseconds = milliseconds
        self.worker = worker
        self.caller = caller
    }

    /// The leased tasks.
    struct Grant: Sendable {
        var tasks: [LeasedTask] = []
        /// The time of the next task; `nil` if nothing waits.
        var next: Timestamp?
    }
}

extension LeaseTasksCommand: WriterCommand {
    var size: Int { 256 + worker.utf8.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "lease \(queue)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Grant {
        let queue = EffectRequest.tasks + queue
        var grant = Grant()
        let settings = batch.settings(of: queue)
        // Waiting workers are notified when these settings change.
        if batch.areEffectsHeld || settings.isPaused { return grant }
        // Another lane may give room while this one counts.
        if batch.parts.leases.isShared, settings.concurrency != nil { batch.parts.leases.want(queue) }
        let leaseRoom = batch.leaseRoom(in: queue, settings, wanted: max)
        let startRoom = batch.parts.leases.startRoom(in: queue, settings, at: batch.now)
        if leaseRoom < max { batch.parts.leases.want(queue) }
        let room = Swift.min(leaseRoom, startRoom)
        var delays: [Int64] = []
        grant.tasks = try tasks(of: queue, atMost: Swift.min(max, room), &delays, in: &batch)
        if !delays.isEmpty { batch.note(.leased(queue: queue, delays: delays)) }
        batch.parts.leases.started(grant.tasks.count, in: queue, settings, at: batch.now)
        guard grant.tasks.isEmpty, leaseRoom > 0, let ready = try batch.nextReady(in: queue) else { return grant }
        let start = startRoom > 0 ? nil : batch.parts.leases.nextStart(in: queue, settings, at: batch.now)
        grant.next = start.map { Swift.max($0, ready) } ?? ready
        return grant
    }

    /// Leases tasks that are ready. Tasks of suspended instances are skipped, and held from then on.
    ///
    /// - Parameter delays: Receives the milliseconds since each task was due.
    private func tasks(
        of queue: String, atMost most: Int, _ delays: inout [Int64], in batch: inout BatchBuilder
    ) throws(Rejection) -> [LeasedTask] {
        var tasks: [LeasedTask] = []
        var bytes = 0
        var passed = 0
        while true {
            let passedBefore = passed
            // Once tasks are skipped, they are read a hundred at a time.
            let asked = passed == 0 ? most : Swift.max(most, batch.parts.limits.passedAtOnce)
            let found = try batch.readyEffects(in: queue, limit: asked)
            for effect in found where tasks.count < most {
                // The tasks leased so far are handed out, even if the next one waits for its machine version.
                guard let isWithheld = try isWithheld(effect, in: &batch, after: tasks.count) else { return tasks }
                if isWithheld, let instance = try batch.instance(of: effect) {
                    batch.withhold(effect, of: instance)
                    passed += 1
                    continue
                }
                bytes += effect.request.utf8.count + (effect.progress?.utf8.count ?? 0)
                // A single task is leased whatever its size.
                if bytes > batch.parts.limits.leasedBytes, !tasks.isEmpty { return tasks }
                guard let task = try lease(effect, in: &batch) else { continue }
                tasks.append(task)
                delays.append(batch.now.rawValue - effect.due.rawValue)
            }
            let isOver = tasks.count == most || found.count < asked || passed >= batch.parts.limits.passedTasks
            if isOver || passed == passedBefore { return tasks }
        }
    }

    /// Returns true if the instance of an effect is suspended. Returns `nil` if its machine version is being compiled,
    /// and the caller can get other tasks.
    private func isWithheld(
        _ effect: EffectRecord, in batch: inout BatchBuilder, after count: Int
    ) throws(Rejection) -> Bool? {
        do throws(Rejection) {
            return try batch.instance(of: effect).map(batch.withholds) ?? false
        } catch {
            if error.wait != nil, count > 0 { return nil }
            throw error
        }
    }

    private func lease(_ effect: EffectRecord, in batch: inout BatchBuilder) throws(Rejection) -> LeasedTask? {
        // An effect ended by a batch under way may still be read here. A call has no waiting invocation.
        guard let instance = try batch.instance(of: effect),
            effect.number == nil || instance.state.invocation(of: effect.id)?.isKept == false,
            instance.state.record.namespace == caller.namespace
        else { return nil }
        var leased = effect
        leased.state = .leased
        leased.attempts += 1
        let token = TaskToken(
            leased, begun: batch.now, generation: batch.parts.leases.generation, key: instance.state.record.salt,
            random: batch.newSalt())
        leased.lease =
            TaskLease(
                secret: token.secret, begun: token.begun, milliseconds: milliseconds, generation: token.generation
            ).bytes
        leased.worker = worker
        leased.due = Timestamp(rawValue: batch.now.rawValue + milliseconds)
        batch.change(leased)
        let uuid = instance.state.record.uuid
        let key = effect.key(of: uuid)
        return LeasedTask(
            token: token, instance: instance.state.record.name, id: effect.name,
            attempt: leased.attempts, key: key,
            traceparent: TraceContext.parent(instance: uuid, key: key, attempt: leased.attempts),
            input: effect.requested["input"],
            progress: effect.progress.flatMap { try? JSONReader.value(from: $0) }, leasedUntil: leased.due,
            deadline: instance.state.timeout(ofInvocation: effect.name))
    }
}
