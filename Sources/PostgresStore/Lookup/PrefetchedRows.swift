import WorkflowStore

/// The rows that were read ahead, including absent ones. In a double optional, the outer `nil` means that a row was not
/// read.
final class PrefetchedRows {
    /// The number of machine versions that are kept.
    private static let keptVersions = 256

    /// The machine versions that were met. They never change, so they are kept.
    private(set) var versions: [MachineID: MachineRecord] = [:]
    private var machines: [WantedMachine: MachineID?] = [:]
    private var instances: [InstanceKey: InstanceRecord?] = [:]
    private var keys: [InstanceID: InstanceKey?] = [:]
    private var positions: [WantedKey: Position?] = [:]

    func machine(_ wanted: WantedMachine) -> MachineRecord?? {
        guard let id = machines[wanted] else { return nil }
        guard let id else { return .some(nil) }
        return versions[id].map { .some($0) }
    }

    func instance(_ key: InstanceKey) -> InstanceRecord?? { instances[key] }

    func key(of id: InstanceID) -> InstanceKey?? { keys[id] }

    func position(of key: RequestKey, in scope: KeyScope) -> Position?? {
        positions[WantedKey(key, in: .known(scope))]
    }

    /// Drops the rows that may change.
    func forget() {
        (machines, instances, keys, positions) = ([:], [:], [:], [:])
        if versions.count > Self.keptVersions { versions = [:] }
    }

    /// Returns the wanted rows that are not there yet.
    func missing(of wanted: WantedRows) -> WantedRows {
        var missing = WantedRows()
        missing.instances = wanted.instances.filter { instances[$0] == nil }
        missing.ids = wanted.ids.filter { keys[$0] == nil }
        missing.machines = wanted.machines.filter { machines[$0] == nil }
        missing.keys = wanted.keys.filter { positions[$0] == nil }
        return missing
    }

    /// Takes the rows that were read for `wanted`.
    func take(_ found: FoundRows, for wanted: WantedRows) {
        for key in wanted.instances { instances.updateValue(nil, forKey: key) }
        for id in wanted.ids { keys.updateValue(nil, forKey: id) }
        for machine in wanted.machines { machines.updateValue(nil, forKey: machine) }
        for instance in found.instances {
            instances.updateValue(instance, forKey: instance.key)
            if wanted.ids.contains(instance.id) { keys.updateValue(instance.key, forKey: instance.id) }
        }
        for machine in found.versions { versions[machine.id] = machine }
        for (machine, id) in found.machines { machines.updateValue(id, forKey: machine) }
        for (key, position) in found.positions { positions.updateValue(position, forKey: key) }
    }
}

/// The rows that one round trip found.
struct FoundRows {
    var instances: [InstanceRecord] = []
    /// The machine versions of the instances and of the wanted machines, without those that were known.
    var versions: [MachineRecord] = []
    var machines: [(WantedMachine, MachineID)] = []
    /// The positions of the keys whose scope exists, by the wanted and by the known scope.
    var positions: [(WantedKey, Position?)] = []
}
