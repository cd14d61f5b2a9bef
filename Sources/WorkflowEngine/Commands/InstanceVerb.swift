import Statechart
import WorkflowStore

/// A command of which there are dry runs.
protocol TriedCommand: PlacedCommand {
    /// True to report the effect of the command without changing anything. Such a command is applied to a batch that is
    /// discarded, and does not pass the writer.
    var isDryRun: Bool { get }
}

/// A request about one instance.
protocol InstanceVerb: TriedCommand {
    var instance: InstanceName { get }
    var key: RequestKey? { get }
    var caller: Caller { get }
}

extension InstanceVerb {
    var target: InstanceKey { InstanceKey(instance, in: caller.namespace) }
    var place: CommandPlace { .instance(target) }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [.instance(target)] }
    var targets: [CommandTarget] { payers }

    func want(_ rows: inout WantedRows) {
        rows.instances.insert(target)
        if let key { rows.keys.insert(WantedKey(key, in: .instance(target))) }
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
