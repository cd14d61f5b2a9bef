package import Statechart
package import WorkflowStore

/// Stores a definition.
struct ApplyMachineCommand: PlacedCommand {
    /// The text exactly as given.
    let source: String
    let machine: Machine
    /// True if new instances may take the version; otherwise they continue to take the previous one.
    let isActivated: Bool
    let caller: Caller

    private var key: MachineKey { MachineKey(MachineName(rawValue: machine.name), in: caller.namespace) }

    var size: Int { 256 + source.utf8.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [.machine(key)] }
    var place: CommandPlace { .first }
    var summary: String { "apply \(machine.name)" }

    func want(_ rows: inout WantedRows) { rows.machines.insert(WantedMachine(key, version: nil)) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> AppliedMachine {
        let key = key
        let latest = try batch.machine(key, version: nil)
        if let latest, latest.record.semantics == machine.semantics.rawValue,
            latest.record.source.utf8.elementsEqual(source.utf8)
        {
            return AppliedMachine(record: latest.record, isNew: false, active: batch.setting(of: key).active)
        }
        var setting = batch.setting(of: key)
        if !isActivated, setting.active == nil, let latest {
            setting.active = latest.record.version
            try batch.set(setting)
            batch.note(.machineSet(setting, by: caller.actor, nil))
        }
        let record = MachineRecord(
            id: batch.numbers.nextMachine, namespace: key.namespace, name: key.name,
            version: latest?.record.version.next ?? .first, digest: Digest(of: source.utf8),
            semantics: machine.semantics.rawValue, source: source, created: batch.now)
        batch.add(LoadedMachine(record: record, machine: machine))
        batch.recordChange(
            .apply, of: key.name.rawValue, version: record.version, detail: setting.active.map { "active: \($0)" },
            by: caller)
        var applied = AppliedMachine(record: record, isNew: true, active: setting.active)
        if let earlier = latest?.record.semantics, earlier != record.semantics {
            applied.earlierSemantics = Semantics(rawValue: earlier)
        }
        return applied
    }
}

/// The answer to an apply.
package struct AppliedMachine: Sendable {
    package let record: MachineRecord
    /// False if the latest version already has this text and the same semantics.
    package let isNew: Bool
    /// The version that new instances take; `nil` for the latest.
    package let active: MachineVersion?
    /// The semantics of the previous version; `nil` if they are the same.
    package internal(set) var earlierSemantics: Semantics?
}
