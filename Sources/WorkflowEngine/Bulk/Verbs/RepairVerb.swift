import Statechart
import WorkflowStore

/// An operator's repair of an instance.
struct RepairVerb: BulkVerb {
    let verb: RepairCommand.Verb

    init(_ verb: RepairCommand.Verb) {
        self.verb = verb
    }

    var traits: BulkTraits {
        switch verb {
        case .retry, .skip:
            BulkTraits(
                undoneKind: verb == .skip ? verb.kind : nil, endsFailures: true, outcomes: [.notFailed: .passedOver])
        case .resume: BulkTraits(endsFailures: true, outcomes: [.notSuspended: .passedOver])
        case .suspend:
            BulkTraits(undoneKind: verb.kind, outcomes: [.finished: .passedOver, .suspended: .passedOver])
        case .cancel, .set: BulkTraits(undoneKind: verb.kind, outcomes: [.finished: .passedOver])
        }
    }

    func prepare(_ record: InstanceRecord, for order: BulkOrder, in engine: Engine) -> BulkPreparation {
        let command = command(for: record, order)
        return .ready(bytes: 0) { _, batch throws(Rejection) in try command.apply(to: &batch).deed }
    }

    func command(for record: InstanceRecord, _ order: BulkOrder) -> RepairCommand {
        var command = RepairCommand(
            instance: record.name, verb, reason: order.reason, isDryRun: order.isDryRun, wantsContext: false,
            by: order.caller)
        command.run = order.run
        return command
    }

    func writes(_ row: JournalRecord) -> Bool { row.kind == verb.kind || verb == .retry && row.kind == .failed }
}
