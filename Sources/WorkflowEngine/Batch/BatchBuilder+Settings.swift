import WorkflowStore

extension BatchBuilder {
    /// What somebody has set for a machine, after what was applied so far. Costs nothing while nothing is set.
    func setting(of key: MachineKey) -> MachineSetting {
        newest { $0.settings[key] } ?? settledBefore[key] ?? MachineSetting(of: key)
    }

    /// Sets something for a machine, unless too many have settings.
    mutating func set(_ setting: MachineSetting) throws(Rejection) {
        let before = self.setting(of: setting.key)
        if setting == before { return }
        let count = settledBefore.count + uncommittedCount(\.settings.count)
        guard !before.isStandard || count < limits.settledMachines else {
            throw .invalidData(
                "At most \(limits.settledMachines) machines have settings; take back those of others")
        }
        changes.settings[setting.key] = setting
    }
}
