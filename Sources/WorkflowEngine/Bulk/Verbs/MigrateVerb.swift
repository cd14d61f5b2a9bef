import Statechart
import WorkflowJSON
import WorkflowStore

/// Migrates an instance. As `retry`, migrates only an instance that then accepts the input on which it failed.
struct MigrateVerb: SelectiveVerb {
    let version: MachineVersion
    let plan: MigrationPlan
    let retries: Bool

    init?(_ json: JSONObject) {
        guard let version = json.number("to") else { return nil }
        self.version = MachineVersion(rawValue: version)
        plan = MigrationPlan(.object(json))
        retries = json["verb"] == "retry"
    }

    var traits: BulkTraits {
        var traits = BulkTraits(changesVersions: true, endsFailures: retries)
        traits.outcomes = [.finished: .passedOver, .notFailed: .passedOver]
        if retries {
            // The instance would fail again on the same input, and stays in its version.
            for code in [.notAccepted, .guardRejected, .unknownEvent, .expressionFailed, .livelock] as [Rejection.Code]
            {
                traits.outcomes[code] = .failed
            }
        } else {
            traits.undoneKind = .migrated
        }
        return traits
    }

    func prepare(_ record: InstanceRecord, for order: BulkOrder, in engine: Engine) -> BulkPreparation {
        var command = MigrateCommand(
            instance: record.name, to: version, plan, retries: retries, reason: order.reason, isDryRun: order.isDryRun,
            wantsContext: false, by: order.caller)
        command.run = order.run
        return .ready(bytes: 0) { [command] instance, batch throws(Rejection) in
            if command.isDryRun { return try command.apply(to: &batch).deed }
            try command.move(instance, in: &batch)
            return .done(nil)
        }
    }

    func writes(_ row: JournalRecord) -> Bool { row.kind == .migrated }

    func check(
        _ selection: BulkSelection, of machines: [MachineRecord], in engine: Engine, by caller: Caller
    ) async throws(Rejection) {
        // With several versions, a migrated instance would be selected again in its new version.
        guard let old = machines.first, machines.count == 1, selection.versions.count == 1 else {
            throw .invalidData("A migration is for one version: select it with 'machine' and 'version'")
        }
        let new = try await engine.machine(named: old.name, version: version, by: caller)
        if new.id == old.id {
            throw .invalidData("Version \(version) is the one that the instances are to leave")
        }
        // A problem that concerns all instances is reported once.
        _ = try engine.library.migration(
            plan, from: try await engine.loadedMachine(old.id), to: try await engine.loadedMachine(new.id))
    }
}
