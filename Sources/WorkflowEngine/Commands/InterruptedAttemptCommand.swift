import Statechart
import WorkflowJSON
import WorkflowStore

/// Counts an attempt that an earlier process began and did not outlive. After a few of them in a row the effect is
/// held: what it runs may be what ends the daemon.
struct InterruptedAttemptCommand: Sendable {
    /// As a file says, which may be anybody's.
    let begin: AttemptBegin
    /// The beginning of the names of the queues whose attempts are kept.
    let queues: String

    /// The number in a row that holds an effect.
    static let bound = 3
}

extension InterruptedAttemptCommand: WriterCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    static var isResult: Bool { true }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var summary: String { "count an interrupted attempt at effect \(begin.effect.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    /// Gives the name of the instance; nil where the attempt was counted, or its effect has gone on.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> InstanceName? {
        guard begin.number > 0, var effect = try batch.effect(begin.effect), [.ready, .held].contains(effect.state),
            effect.queue.hasPrefix(queues), effect.round == begin.round, effect.attempts == begin.number - 1,
            let instance = try batch.instance(of: effect)
        else { return nil }
        let interruptions = try earlierInterruptions(of: effect, in: batch) + 1
        effect.attempts = begin.number
        // An effect that is held with its instance keeps that reason, and is let go with it.
        if effect.state == .ready { effect.error = TaskFailure.interrupted.note }
        batch.attempts.append(
            AttemptRecord(
                instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: effect.attempts,
                begun: min(begin.begun, batch.now), ended: batch.now, outcome: TaskFailure.interrupted.type,
                error: TaskFailure.interrupted.note))
        batch.note(.attempted(queue: effect.queue, .interrupted))
        if interruptions >= Self.bound {
            effect.state = .held
            effect.error = TaskFailure.held(after: interruptions).note
            batch.note(.stuck(effect, of: instance.state.record.name))
        }
        batch.change(effect)
        return instance.state.record.name
    }

    /// The number of attempts right before this one that came to the same, since somebody let it be tried anew; no
    /// more than matter.
    private func earlierInterruptions(of effect: EffectRecord, in batch: BatchBuilder) throws(Rejection) -> Int {
        var count = 0
        var number = effect.attempts
        while count < Self.bound, number > effect.earlier,
            try batch.attempt(number, of: effect.id)?.outcome == TaskFailure.interrupted.type
        {
            count += 1
            number -= 1
        }
        return count
    }
}

extension TaskFailure {
    /// Nobody knows what came of it.
    static let interrupted = TaskFailure(type: "interrupted", message: "wfd ended while the program ran")

    /// The reason why such an effect is held.
    fileprivate static func held(after interruptions: Int) -> TaskFailure {
        TaskFailure(
            type: interrupted.type,
            message: "wfd ended \(interruptions) times in a row while the program ran; see that the program does not "
                + "end it, then 'wfctl effects retry', of many with --all --queue QUEUE --state held")
    }
}

extension EffectRecord {
    /// True when it is held because the daemon did not outlive its attempts. A start does not try it again.
    var isInterrupted: Bool {
        state == .held && error.flatMap(RecordedFailure.object)?["type"]?.string == TaskFailure.interrupted.type
    }
}
