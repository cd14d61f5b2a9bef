import Statechart
import WorkflowStore

/// An operator's request about one instance, other than an event.
protocol InstanceVerb: WriterCommand {
    var instance: InstanceName { get }
    /// True to report the effect of the request without changing anything.
    var isDryRun: Bool { get }
    var key: RequestKey? { get }
    var caller: Caller { get }

    /// Carries out the request; a dry run uses a batch that is discarded.
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

    /// Returns the instance, after all earlier due inputs have come; or the row of an earlier request with the same
    /// key.
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

/// An operator's request about an instance, carried out once for each key.
protocol KeyedRepair: InstanceVerb {
    var wantsContext: Bool { get }

    /// Returns true if a row with the command's key records this command.
    ///
    /// - Parameter before: The instance before the row.
    func isRecorded(by row: JournalRecord, after before: Snapshot) -> Bool
}
