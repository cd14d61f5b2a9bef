import WorkflowStore

extension BatchBuilder {
    /// Returns the settings of a machine, with the changes applied so far. Costs nothing while no machine has settings.
    func setting(of key: MachineKey) -> MachineSetting {
        newest { $0.settings[key] } ?? settledBefore[key] ?? MachineSetting(of: key)
    }

    /// Changes the settings of a machine, unless too many machines have settings.
    mutating func set(_ setting: MachineSetting) throws(Rejection) {
        let before = self.setting(of: setting.key)
        if setting == before { return }
        let count = settledBefore.count + uncommittedCount { $0.settings.count }
        guard !before.isStandard || count < parts.limits.settledMachines else {
            throw .invalidData(
                "At most \(parts.limits.settledMachines) machines have settings; take back those of others")
        }
        changes.settings[setting.key] = setting
    }
}
