import Statechart
import WorkflowStore

/// What a person asks of one instance, beside sending it events.
protocol InstanceVerb: WriterCommand {
    var instance: InstanceName { get }
    /// Whether it asks what would happen, and changes nothing.
    var isDryRun: Bool { get }
    var key: RequestKey? { get }
    var caller: Caller { get }

    /// Does it; of a dry run, in a batch that is thrown away.
    func carryOut(in batch: inout BatchBuilder) throws(Rejection) -> Answer
}

extension InstanceVerb {
    var target: InstanceKey { InstanceKey(instance, in: caller.namespace) }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [.instance(target)] }
    var targets: [CommandTarget] { payers }

    func want(_ rows: inout WantedRows) {
        rows.instances.insert(target)
        if let key, !isDryRun { rows.keys.insert(WantedKey(key, in: .instance(target))) }
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        guard isDryRun else { return try carryOut(in: &batch) }
        var trial = batch.trial()
        defer { batch.cost = trial.cost }
        return try carryOut(in: &trial)
    }

    /// The instance, once all that was due before has come; or the row of an earlier request with the same key.
    func begin(in batch: inout BatchBuilder) throws(Rejection) -> (instance: LiveInstance, repeated: Position?) {
        let instance = try batch.existing(target)
        if let key, !isDryRun {
            if let row = try batch.position(of: key, in: .instance(instance.state.record.id)) { return (instance, row) }
            try batch.refuseExpired(key)
        }
        batch.fireDue(of: instance)
        return (instance, nil)
    }
}

/// What a person asks of an instance, once for a key.
protocol KeyedRepair: InstanceVerb {
    var wantsContext: Bool { get }

    /// Whether a row with the command's key is the command's.
    ///
    /// - Parameter before: The instance before the row.
    func isRecorded(by row: JournalRecord, after before: Snapshot) -> Bool
}
