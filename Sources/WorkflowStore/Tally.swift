import Statechart

/// The key by which instances are counted.
package struct TallyKey: Hashable, Sendable {
    package let machineID: MachineID
    package let status: InstanceStatus
    /// The paths of the active leaves, joined by commas.
    package let configuration: String

    package init(machineID: MachineID, status: InstanceStatus, configuration: String) {
        self.machineID = machineID
        self.status = status
        self.configuration = configuration
    }

    /// Hashes all but the status: few keys differ only in it, and a batch hashes a key for almost every event.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(machineID.rawValue)
        hasher.combine(configuration)
    }

    /// Creates the key under which an instance is counted.
    package init(_ record: InstanceRecord) {
        self.init(machineID: record.machineID, status: record.status, configuration: record.state.configuration)
    }
}

/// The number of instances in one status and configuration of a machine version.
package struct TallyRecord: Sendable, Equatable {
    package let key: TallyKey
    package let machine: MachineName
    package let version: MachineVersion
    /// The semantics number of the version.
    package let semantics: Int64
    package let count: Int64

    package init(key: TallyKey, machine: MachineName, version: MachineVersion, semantics: Int64, count: Int64) {
        self.semantics = semantics
        self.key = key
        self.machine = machine
        self.version = version
        self.count = count
    }
}

/// A selection of counts.
package struct TallyQuery: Sendable, Equatable {
    /// The machines; empty for all.
    package var machines: [MachineName]
    /// The semantics number below which versions are counted; `nil` counts all.
    package var semanticsBelow: Int64?
    package var limit: Int
    /// The last key of the previous page; `nil` for the first page.
    package var after: TallyKey?

    package init(
        machines: [MachineName] = [], semanticsBelow: Int64? = nil, limit: Int, after: TallyKey? = nil
    ) {
        self.semanticsBelow = semanticsBelow
        self.machines = machines
        self.limit = limit
        self.after = after
    }

    /// Returns true if the query selects counts of a machine.
    package func takes(_ machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }
}

extension StoreBatch {
    /// Moves an instance from its previous count to its present one.
    ///
    /// - Parameter before: The previous key; `nil` if the instance begins in the batch.
    package mutating func count(_ instance: InstanceRecord, before: TallyKey?) {
        let now = TallyKey(instance)
        if now == before { return }
        if let before { tally[before, default: 0] -= 1 }
        // A deleted instance is counted nowhere.
        if instance.status != .purging { tally[now, default: 0] += 1 }
    }
}
