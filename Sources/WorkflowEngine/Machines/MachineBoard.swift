import Synchronization
import WorkflowStore

/// What is set for machines, as committed.
///
/// The writer loads it when it starts. All of it is kept: `EngineLimits.settledMachines` bounds it.
final class MachineBoard: Sendable {
    private let state = Mutex<[MachineKey: MachineSetting]>([:])

    /// What is set now; nothing of a machine with the defaults.
    var settings: [MachineKey: MachineSetting] { state.withLock { $0 } }

    /// Why a machine is suspended; nil when it is not.
    func suspension(of key: MachineKey) -> MachineSuspension? { state.withLock { $0[key]?.suspension } }

    /// Takes what is committed.
    func load(from store: some StoreLookup, limits: EngineLimits) throws(StoreError) {
        var settings: [MachineKey: MachineSetting] = [:]
        var last: MachineKey?
        repeat {
            let page = try store.machineSettings(after: last, limit: limits.batchRows)
            for setting in page { settings[setting.key] = setting }
            last = page.count < limits.batchRows ? nil : page.last?.key
        } while last != nil
        state.withLock { [settings] in $0 = settings }
    }

    /// Takes what a batch has made durable.
    func adopt(_ changed: [MachineSetting]) {
        if changed.isEmpty { return }
        state.withLock { settings in
            for setting in changed { settings[setting.key] = setting.isStandard ? nil : setting }
        }
    }
}
