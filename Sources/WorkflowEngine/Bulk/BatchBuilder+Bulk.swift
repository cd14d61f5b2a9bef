import Statechart
import WorkflowJSON
import WorkflowStore

// Runs over many instances.

extension BatchBuilder {
    /// A run, as this batch leaves it so far.
    func run(_ key: BulkKey) throws(Rejection) -> BulkRecord? {
        for changed in [runs] + provisional.reversed().map(\.runs) {
            if let run = changed[key] { return run }
        }
        return try read { () throws(StoreError) in try store.bulkRun(key) }
    }

    func writeRuns(to batch: inout StoreBatch) {
        if runs.isEmpty { return }
        for (key, run) in runs.sorted(by: { $0.key < $1.key }) {
            if let run { batch.changedRuns.append(run) } else { batch.forgottenRuns.append(key) }
        }
        batch.runNames = runNames
    }
}

extension BulkRequest {
    /// Does to one instance what is asked for; gives its status afterwards.
    func carryOut(
        on instance: InstanceName, in batch: inout BatchBuilder, run: String, by caller: Caller
    ) throws(Rejection) -> Snapshot.Status {
        switch action {
        case .repair(let verb):
            var command = RepairCommand(instance: instance, verb, reason: reason, wantsContext: false, by: caller)
            command.run = run
            _ = try command.apply(to: &batch)
        case .send(let event, let data):
            let command = send(event, data, to: instance, by: caller)
            try command.check()
            _ = try command.send(in: &batch, reason: reason, run: run)
        }
        return try batch.existing(InstanceKey(instance, in: caller.namespace)).state.snapshot.status
    }

    /// What it would lead to, for an instance as it is stored.
    ///
    /// - Parameter waiting: The effects of an instance that does not run.
    func rehearse(
        on state: borrowing InstanceState, _ waiting: [EffectRecord], at now: Timestamp, by caller: Caller
    ) throws(Rejection) -> SendResult {
        let instance = state.record.name
        switch action {
        case .repair(let verb):
            let command = RepairCommand(
                instance: instance, verb, reason: reason, isDryRun: true, wantsContext: false, by: caller)
            return try command.rehearse(on: state, waiting, at: now)
        case .send(let event, let data):
            return try send(event, data, to: instance, by: caller).rehearse(on: state, at: now)
        }
    }

    private func send(_ event: String, _ data: JSONValue?, to instance: InstanceName, by caller: Caller) -> SendCommand
    {
        SendCommand(
            instance: instance, event: Event(name: event, data: data, at: LogicalTime(milliseconds: 0)),
            wantsContext: false, by: caller)
    }
}

extension BulkAction {
    /// Whether it is refused while the machine is suspended.
    var needsMachine: Bool {
        switch self {
        case .repair(.resume), .send: true
        case .repair(.retry), .repair(.skip), .repair(.cancel), .repair(.set), .repair(.suspend): false
        }
    }

    /// Whether an instance is to go on by it: then one that is failed afterwards has failed on what followed.
    var endsFailures: Bool {
        switch self {
        case .repair(.retry), .repair(.skip), .repair(.resume), .send: true
        case .repair(.cancel), .repair(.set), .repair(.suspend): false
        }
    }
}
