import Statechart
import WorkflowStore

/// Finds what a queue has ready that nobody has taken. What is ready of suspended instances is held from then on.
struct FindEffectsCommand: Sendable {
    let queue: String
    let limit: Int
    /// What runs already.
    let except: Set<Position>
    /// True when attempts are counted whose process did not outlive them.
    let countsInterruptions: Bool

    /// What was found.
    struct Answer: Sendable {
        var effects: [FoundEffect] = []
        /// Whether there may be more that is ready.
        var hasMore = false
        /// When there is something next that is not ready yet; nil for nothing.
        var next: Timestamp?
    }
}

extension FindEffectsCommand: WriterCommand {
    var size: Int { 256 + 16 * except.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "find effects of \(queue)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        batch.orders += 1
        let ready = try batch.readyEffects(in: queue, limit: limit + except.count)
        var answer = Answer(hasMore: ready.count == limit + except.count)
        answer.next = try batch.nextReady(in: queue, after: max(batch.now, batch.numbers.last))
        var bytes = 0
        // Instances that are not in memory take their time, and events wait.
        let end = ContinuousClock.now + batch.limits.findingEffects
        for effect in ready where !except.contains(effect.id) {
            bytes += effect.request.utf8.count
            let isLong = answer.effects.count % 16 == 15 && ContinuousClock.now > end
            if isLong || bytes > batch.limits.leasedBytes, !answer.effects.isEmpty {
                answer.hasMore = true
                break
            }
            let instance: LiveInstance?
            do throws(Rejection) {
                instance = try batch.instance(of: effect)
            } catch {
                // The effects that were found start now; they do not wait for a machine that is being compiled.
                guard error.wait != nil, !answer.effects.isEmpty else { throw error }
                answer.hasMore = true
                break
            }
            guard let instance else { continue }
            if batch.withholds(instance) {
                batch.withhold(effect, of: instance)
                continue
            }
            // What an instance has failed on waits for a person; what is due first may end it. The timers of one that
            // has failed wait, and its effects do not.
            if effect.number != nil, instance.state.invocation(of: effect.id)?.isKept != false { continue }
            let isRunning = instance.state.snapshot.status == .running
            if isRunning, let deadline = instance.state.timeout(ofInvocation: effect.name), deadline <= batch.now {
                continue
            }
            let interruptions = countsInterruptions ? try batch.interruptions(of: effect) : 0
            answer.effects.append(
                FoundEffect(
                    effect: effect,
                    instance: InstanceKey(instance.state.record.name, in: instance.state.record.namespace),
                    uuid: instance.state.record.uuid,
                    runsAlone: interruptions >= InterruptedAttemptCommand.aloneAfter))
        }
        return answer
    }
}

/// Finds the queues that have anything.
struct FindQueuesCommand: Sendable {
    /// The last of the page before.
    let after: String?
    let limit: Int
}

extension FindQueuesCommand: WriterCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "find queues" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> [String] {
        batch.orders += 1
        return try batch.queues(after: after, limit: limit)
    }
}
