import WorkflowStore

/// The rows of a combined read of a `FakeStore`, including absent ones. In a double optional, the outer `nil` means
/// that a row was not read.
struct PrefetchedRows {
    private(set) var machines: [WantedMachine: MachineRecord?] = [:]
    private(set) var versions: [MachineID: MachineRecord?] = [:]
    private(set) var instances: [InstanceKey: InstanceRecord?] = [:]
    private(set) var names: [InstanceID: InstanceKey?] = [:]
    private var positions: [RequestKey: [KeyScope: Position?]] = [:]

    func position(of key: RequestKey, in scope: KeyScope) -> Position?? { positions[key]?[scope] }

    /// Reads the wanted rows that are not there yet.
    mutating func take(_ wanted: WantedRows, of content: FakeContent) {
        for machine in wanted.machines where machines[machine] == nil {
            let found = content.machine(machine.key, version: machine.version)
            machines.updateValue(found, forKey: machine)
        }
        for key in wanted.instances { take(key, of: content) }
        for id in wanted.ids where names[id] == nil {
            let key = content.instanceKey(id)
            names.updateValue(key, forKey: id)
            if let key { take(key, of: content) }
        }
        for key in wanted.keys {
            guard let scope = scope(of: key, in: content) else { continue }
            let position = content.position(of: key.key, in: scope)
            positions[key.key, default: [:]].updateValue(position, forKey: scope)
        }
    }

    private mutating func take(_ key: InstanceKey, of content: FakeContent) {
        if instances[key] != nil { return }
        let instance = content.instance(key)
        instances.updateValue(instance, forKey: key)
        if let id = instance?.machineID { versions.updateValue(content.machine(id), forKey: id) }
    }

    /// Returns the scope of a key; `nil` if its instance or machine does not exist.
    private func scope(of key: WantedKey, in content: FakeContent) -> KeyScope? {
        switch key.scope {
        case .known(let scope): scope
        case .instance(let name): content.instance(name).map { .instance($0.id) }
        case .machine(let name): content.machine(name, version: .first).map { .machine($0.id) }
        }
    }
}
