import Synchronization
import WorkflowStore

/// The committed settings of machines.
///
/// The writer loads the board at start. The board keeps all settings, bounded by `EngineLimits.settledMachines`.
final class MachineBoard: Sendable {
    private let state = Mutex<[MachineKey: MachineSetting]>([:])

    /// The current settings; machines with the defaults are absent.
    var settings: [MachineKey: MachineSetting] { state.withLock { $0 } }

    /// Returns the suspension of a machine; `nil` if the machine is not suspended.
    func suspension(of key: MachineKey) -> MachineSuspension? { state.withLock { $0[key]?.suspension } }

    /// Loads the committed settings.
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

    /// Adopts the settings that a batch has made durable.
    func adopt(_ changed: [MachineSetting]) {
        if changed.isEmpty { return }
        state.withLock { settings in
            for setting in changed { settings[setting.key] = setting.isStandard ? nil : setting }
        }
    }
}
