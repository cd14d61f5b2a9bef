import WorkflowStore

// The settings of machines.

extension FakeContent {
    mutating func write(settingsOf batch: StoreBatch) throws(StoreError) {
        for setting in batch.changedSettings {
            guard !setting.key.name.rawValue.isEmpty, setting.key.namespace == .default,
                setting.active?.rawValue ?? 1 >= 1, setting.retention ?? 1 >= 1
            else { throw Self.refused("a setting of a machine that cannot be") }
            settings[setting.key] = setting.isStandard ? nil : setting
        }
    }

    func machineSettings(after key: MachineKey?, limit: Int) -> [MachineSetting] {
        let all = settings.values.sorted { comes($0.key, before: $1.key) }
        return Array(all.filter { setting in key.map { comes($0, before: setting.key) } ?? true }.prefix(limit))
    }

    private func comes(_ one: MachineKey, before other: MachineKey) -> Bool {
        if one.namespace != other.namespace { return one.namespace < other.namespace }
        return one.name.rawValue.utf8.lexicographicallyPrecedes(other.name.rawValue.utf8)
    }
}
