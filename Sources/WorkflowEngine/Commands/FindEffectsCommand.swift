import Statechart
import WorkflowStore

/// Finds the ready effects of a queue that are not taken. Ready effects of suspended instances are held from then on.
struct FindEffectsCommand: Sendable {
    let queue: String
    let limit: Int
    /// The effects that already run or wait to be started.
    let except: Set<Position>
    /// True if attempts are counted whose process did not outlive them.
    let countsInterruptions: Bool

    /// The effects found.
    struct Answer: Sendable {
        var effects: [FoundEffect] = []
        /// True if there may be more ready effects.
        var hasMore = false
        /// The time at which the next effect becomes ready; `nil` if there is none.
        var next: Timestamp?
    }
}

extension FindEffectsCommand.Answer {
    /// Creates the answer of all partitions.
    init(_ parts: [Self]) {
        self.init(
            effects: parts.flatMap(\.effects), hasMore: parts.contains(where: \.hasMore),
            next: parts.compactMap(\.next).min())
        if parts.count == 1 { return }
        effects.sort {
            ($0.effect.priority, $0.effect.due, $0.effect.id) < ($1.effect.priority, $1.effect.due, $1.effect.id)
        }
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
        // Instances that are not in memory take time to read, and events wait.
        let end = ContinuousClock.now + batch.parts.limits.findingEffects
        for effect in ready where !except.contains(effect.id) {
            bytes += effect.request.utf8.count
            let isLong = answer.effects.count % 16 == 15 && ContinuousClock.now > end
            if isLong || bytes > batch.parts.limits.leasedBytes, !answer.effects.isEmpty {
                answer.hasMore = true
                break
            }
            let instance: LiveInstance?
            do throws(Rejection) {
                instance = try batch.instance(of: effect)
            } catch {
                // The effects found so far start now; they do not wait for a machine that is being compiled.
                guard error.wait != nil, !answer.effects.isEmpty else { throw error }
                answer.hasMore = true
                break
            }
            guard let instance else { continue }
            if batch.withholds(instance) {
                batch.withhold(effect, of: instance)
                continue
            }
            // An effect that an instance has failed on waits for an operator; a due timer may end an effect first. The
            // timers of a failed instance wait, and its effects do not.
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
