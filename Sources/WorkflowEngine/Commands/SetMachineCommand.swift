import Statechart
package import WorkflowStore

/// Changes a setting of a machine, which applies to all its versions.
package struct SetMachineCommand: Sendable {
    /// The setting to change; all others stay.
    package enum Change: Sendable, Equatable {
        /// The version that new instances take; `nil` for the latest.
        case active(MachineVersion?)
        case suspended(Bool)
        /// The milliseconds for which finished instances are kept; `nil` for ever.
        case retention(Int64?)
    }

    package var machine: MachineName
    package var change: Change
    /// The caller's reason.
    package var reason: String?
    package var caller: Caller

    package init(machine: MachineName, _ change: Change, by caller: Caller) {
        self.machine = machine
        self.change = change
        self.caller = caller
    }

    private var key: MachineKey { MachineKey(machine, in: caller.namespace) }
}

extension SetMachineCommand: PlacedCommand {
    var size: Int { 256 + machine.rawValue.utf8.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [.machine(key)] }
    var place: CommandPlace { .first }
    var summary: String { "set machine \(machine)" }

    func want(_ rows: inout WantedRows) {
        rows.machines.insert(WantedMachine(key, version: nil))
        if case .active(let version?) = change { rows.machines.insert(WantedMachine(key, version: version)) }
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> SettledMachine {
        guard let latest = try batch.machine(key, version: nil) else {
            throw .machineNotFound(name: machine, version: nil, latest: nil)
        }
        let before = batch.setting(of: key)
        var setting = before
        switch change {
        case .active(let version):
            if let version, try batch.machine(key, version: version) == nil {
                throw .machineNotFound(name: machine, version: version, latest: latest.record.version)
            }
            setting.active = version
        case .suspended(let isSuspended):
            // A machine that is already suspended keeps the time and the reason of its suspension.
            let suspension = MachineSuspension(at: batch.now, by: caller.actor, reason: reason)
            setting.suspension = isSuspended ? before.suspension ?? suspension : nil
            // Effects of instances without a row of the suspension continue by themselves.
            if before.isSuspended, !isSuspended { batch.parts.leases.lookForHeld() }
        case .retention(let milliseconds): setting.retention = milliseconds
        }
        if setting != before {
            try batch.set(setting)
            batch.note(.machineSet(setting, by: caller.actor, reason))
            record(in: &batch)
        }
        return SettledMachine(setting: setting, latest: latest.record.version)
    }
}

extension SetMachineCommand {
    /// Records the change of the setting.
    private func record(in batch: inout BatchBuilder) {
        let (name, version, detail): (ChangeAction, MachineVersion?, String?) =
            switch change {
            case .active(let version): (.activate, version, "active: \(version?.description ?? "latest")")
            case .suspended(let isSuspended): (isSuspended ? .suspend : .resume, nil, nil)
            case .retention(let age): (.retention, nil, "retention: \(age.map(DelayText.text) ?? "for ever")")
            }
        batch.recordChange(
            name, of: machine.rawValue, version: version, detail: detail, reason: reason, by: caller)
    }
}

/// A machine with its settings.
package struct SettledMachine: Sendable, Equatable {
    package let setting: MachineSetting
    package let latest: MachineVersion
}
