import Statechart
import WorkflowJSON
import WorkflowStore

/// Records the outcome of an attempt that the daemon has made itself.
struct FinishAttemptCommand: Sendable {
    let found: FoundEffect
    let begun: Timestamp
    let outcome: AttemptOutcome
}

extension FinishAttemptCommand: PlacedCommand {
    var size: Int {
        switch outcome {
        case .done(let output): 256 + output.size
        case .failed(let failure): 256 + failure.size
        case .held(let reason): 256 + reason.utf8.count
        }
    }

    var isLong: Bool { false }
    static var isResult: Bool { true }
    var payers: [CommandTarget] { [.instance(found.instance)] }
    var targets: [CommandTarget] { payers }
    var place: CommandPlace { .instance(found.instance) }
    var summary: String { "end an attempt of \(found.instance.name) \(found.effect.name)" }

    func want(_ rows: inout WantedRows) { rows.instances.insert(found.instance) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) {
        guard let instance = try batch.instance(found.instance) else { return }
        // Due timers fire first, because one may end the invocation.
        batch.fireDue(of: instance)
        if instance.state.nextDue(by: batch.now) != nil { throw .overloaded }
        let number = found.effect.attempts + 1
        guard var effect = try batch.effect(found.effect.id), effect.state == .ready,
            effect.round == found.effect.round, effect.attempts == found.effect.attempts
        else { return batch.keepLate(outcome, of: found.effect, begun: begun) }
        if case .held(let reason) = outcome {
            effect.state = .held
            effect.error = JSONWriter.string(["message": .string(reason), "type": "held"] as JSONValue)
            batch.note(.stuck(effect, of: instance.state.record.name))
            return batch.change(effect)
        }
        effect.attempts = number
        switch outcome {
        case .held: break
        case .failed(let failure): try batch.fail(effect, begun: begun, failure, of: instance)
        case .done(let output):
            batch.note(.attempted(queue: effect.queue, .done))
            batch.end(effect, with: .init(event: EventName.done + effect.name, data: output, key: nil), of: instance)
        }
    }
}
