import Statechart
import WorkflowJSON
import WorkflowStore

/// Sends an event to an instance.
struct SendVerb: SelectiveVerb {
    let event: String
    let data: JSONValue?

    init?(_ json: JSONObject) {
        guard let event = json["event"]?.string else { return nil }
        self.event = event
        data = json["data"]
    }

    var traits: BulkTraits { BulkTraits(endsFailures: true) }

    func prepare(_ record: InstanceRecord, for order: BulkOrder, in engine: Engine) -> BulkPreparation {
        let command = SendCommand(
            instance: record.name, event: Event(name: event, data: data, at: LogicalTime(milliseconds: 0)),
            isDryRun: order.isDryRun, wantsContext: false, by: order.caller)
        return .ready(bytes: 0) { _, batch throws(Rejection) in
            try command.check()
            return try command.send(in: &batch, reason: order.reason, run: order.run).deed
        }
    }

    func writes(_ row: JournalRecord) -> Bool { row.event == event && (row.kind == .event || row.kind == .failed) }

    /// Throws if no version with selected instances knows the event, so that a misspelt name begins no run.
    func check(
        _ selection: BulkSelection, of machines: [MachineRecord], in engine: Engine, by caller: Caller
    ) async throws(Rejection) {
        var versions: [MachineID: MachineVersion] = [:]
        try await engine.forEachCounted(selection, by: caller) { versions[$0.key.machineID] = $0.version }
        var latest: Machine?
        for (id, _) in versions.sorted(by: { $0.value < $1.value }) {
            let machine = try await engine.loadedMachine(id).machine
            if machine.knows(event: event) { return }
            latest = machine
        }
        if let latest { throw .refused(.unknownEvent, event: event, machine: latest, facts: nil) }
    }
}
