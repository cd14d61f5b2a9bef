import Statechart

/// What instances are counted by.
package struct TallyKey: Hashable, Sendable {
    package let machineID: MachineID
    package let status: InstanceStatus
    /// Paths of the active leaves, joined by commas.
    package let configuration: String

    package init(machineID: MachineID, status: InstanceStatus, configuration: String) {
        self.machineID = machineID
        self.status = status
        self.configuration = configuration
    }

    /// The status is left out: few keys differ in nothing else, and a batch hashes one for almost every event.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(machineID.rawValue)
        hasher.combine(configuration)
    }

    /// Where an instance is counted.
    package init(_ record: InstanceRecord) {
        self.init(machineID: record.machineID, status: record.status, configuration: record.state.configuration)
    }
}

/// How many instances are in one status and configuration of a machine version.
package struct TallyRecord: Sendable, Equatable {
    package let key: TallyKey
    package let machine: MachineName
    package let version: MachineVersion
    /// The version's semantics.
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

/// Which counts to list.
package struct TallyQuery: Sendable, Equatable {
    /// Of which machines; empty for all.
    package var machines: [MachineName]
    /// Counts only versions with semantics below this number; nil counts all.
    package var semanticsBelow: Int64?
    package var limit: Int
    /// The last of the page before; nil for the first page.
    package var after: TallyKey?

    package init(
        machines: [MachineName] = [], semanticsBelow: Int64? = nil, limit: Int, after: TallyKey? = nil
    ) {
        self.semanticsBelow = semanticsBelow
        self.machines = machines
        self.limit = limit
        self.after = after
    }

    /// Whether it wants counts of a machine.
    package func takes(_ machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }
}

extension StoreBatch {
    /// An instance is counted elsewhere from now on.
    ///
    /// - Parameter before: Where it was counted; nil when it has begun in the batch.
    package mutating func count(_ instance: InstanceRecord, before: TallyKey?) {
        let now = TallyKey(instance)
        if now == before { return }
        if let before { tally[before, default: 0] -= 1 }
        // One that is deleted is counted nowhere.
        if instance.status != .purging { tally[now, default: 0] += 1 }
    }
}
