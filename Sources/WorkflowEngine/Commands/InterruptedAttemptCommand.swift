import Statechart
import WorkflowJSON
import WorkflowStore

/// Counts an attempt that an earlier process began and did not outlive, by the retry rules of its definition. After a
/// few such attempts in a row the effect is held, because it may be what ends the daemon.
struct InterruptedAttemptCommand: Sendable {
    /// The attempt according to a file, which anybody may have written.
    let attempt: InterruptedAttempt
    /// The beginning of the names of the queues whose attempts are kept.
    let queues: String

    /// The number of interruptions in a row after which an effect is held.
    static let bound: Int64 = 3
    /// The number of interruptions after which attempts run alone, so that other effects beside them are not counted,
    /// too.
    static let aloneAfter: Int64 = 2
}

extension InterruptedAttemptCommand: PlacedCommand {
    var size: Int { 256 }
    var isLong: Bool { false }
    static var isResult: Bool { true }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .partition(attempt.begin.effect.partition) }
    var summary: String { "count an interrupted attempt at effect \(attempt.begin.effect.rawValue)" }

    func want(_ rows: inout WantedRows) {}

    /// Returns the name of the instance; `nil` if the attempt was already counted, or its effect has continued.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> InstanceName? {
        guard let found = try effect(in: batch), let instance = try batch.instance(of: found) else { return nil }
        // Due timers fire first, because one may end the invocation.
        batch.fireDue(of: instance)
        if instance.state.nextDue(by: batch.now) != nil { throw .overloaded }
        guard var effect = try effect(in: batch) else { return nil }
        let before = effect
        // An end of the whole machine is no interruption by the effect, and does not reset the count.
        let interruptions = try batch.interruptions(of: effect) + (attempt.isOfThisBoot ? 1 : 0)
        effect.attempts = attempt.begin.number
        try batch.fail(
            effect, begun: min(attempt.begin.begun, batch.now),
            .interrupted(times: interruptions, withMachine: !attempt.isOfThisBoot), of: instance)
        guard var again = try batch.effect(effect.id), again.state == .ready else { return instance.state.record.name }
        if interruptions >= Self.bound {
            again.state = .held
            again.error = TaskFailure.held(after: interruptions).note
            batch.note(.stuck(again, of: instance.state.record.name))
        } else if before.state == .held {
            // The effect is removed with its instance.
            again.state = .held
            again.error = before.error
        }
        batch.change(again)
        return instance.state.record.name
    }

    /// Returns the effect if the attempt may be its last one and has not been counted.
    private func effect(in batch: BatchBuilder) throws(Rejection) -> EffectRecord? {
        let begin = attempt.begin
        guard begin.number > 0, let effect = try batch.effect(begin.effect), [.ready, .held].contains(effect.state),
            effect.queue.hasPrefix(queues), effect.round == begin.round, effect.attempts == begin.number - 1
        else { return nil }
        return effect
    }
}

extension BatchBuilder {
    /// Counts the last attempts in a row that the process did not outlive, since an operator last retried the effect.
    /// An attempt that ends in order resets the count; a restart of the machine does not.
    func interruptions(of effect: EffectRecord) throws(Rejection) -> Int64 {
        guard effect.attempts > effect.earlier, let last = try attempt(effect.attempts, of: effect.id),
            last.outcome == TaskFailure.interruptedType,
            case .int(let times)? = last.error.flatMap(RecordedFailure.object)?[TaskFailure.interruptions]
        else { return 0 }
        return min(max(0, times), InterruptedAttemptCommand.bound)
    }
}

extension TaskFailure {
    /// The error type of an attempt with an unknown outcome.
    static let interruptedType = "interrupted"
    /// The field with the number of interruptions in a row.
    fileprivate static let interruptions = "interruptions"

    fileprivate static func interrupted(times: Int64, withMachine: Bool) -> TaskFailure {
        TaskFailure(
            type: interruptedType, message: "\(withMachine ? "the machine" : "wfd") ended while the program ran",
            facts: [interruptions: .int(times)])
    }

    /// Returns the reason why an interrupted effect is held.
    fileprivate static func held(after interruptions: Int64) -> TaskFailure {
        TaskFailure(
            type: interruptedType,
            message: "wfd ended \(interruptions) times in a row while the program ran; see that the program does not "
                + "end it, then 'wfctl effects retry', of many with --all --queue QUEUE --state held")
    }
}

extension EffectRecord {
    /// True if the effect is held because the daemon did not outlive its attempts. A start of the daemon does not try
    /// the effect again.
    var isInterrupted: Bool {
        state == .held && error.flatMap(RecordedFailure.object)?["type"]?.string == TaskFailure.interruptedType
    }
}
