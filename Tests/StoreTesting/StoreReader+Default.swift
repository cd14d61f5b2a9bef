package import WorkflowStore

// Reading a store without saying the namespace, and writing it without saying the partition: tests of something else
// use the default one and the first one.

extension StoreReader {
    /// Returns a machine by its name in the default namespace.
    package func machine(named name: String, version: MachineVersion?) async throws(StoreError) -> MachineRecord? {
        try await machine(MachineKey(MachineName(rawValue: name), in: .default), version: version)
    }

    /// Returns the latest versions of the default namespace's machines.
    package func machines(after name: MachineName?, limit: Int) async throws(StoreError) -> [MachineRecord] {
        try await machines(in: .default, after: name, limit: limit)
    }

    /// Returns the latest names of the default namespace's machines.
    package func machineNames(limit: Int) async throws(StoreError) -> [MachineName] {
        try await machineNames(in: .default, limit: limit)
    }

    /// Returns an instance by its name in the default namespace.
    package func instance(named name: String) async throws(StoreError) -> InstanceRecord? {
        try await instance(InstanceKey(InstanceName(rawValue: name), in: .default))
    }

    /// Returns the names near a name in the default namespace.
    package func instanceNames(near name: InstanceName, limit: Int) async throws(StoreError) -> [InstanceName] {
        try await instanceNames(near: InstanceKey(name, in: .default), limit: limit)
    }

    /// Returns a page of the default namespace's instances.
    package func instances(_ query: InstanceQuery) async throws(StoreError) -> InstancePage {
        try await instances(query, in: .default)
    }

    /// Returns the numbers of the default namespace's instances by status and configuration.
    package func tally(_ query: TallyQuery) async throws(StoreError) -> [TallyRecord] {
        try await tally(query, in: .default)
    }

    /// Returns a page of the effects of the default namespace's instances.
    package func effects(_ query: EffectQuery) async throws(StoreError) -> EffectPage {
        try await effects(query, in: .default)
    }

    /// Returns the next due timers of the default namespace.
    package func timers(after key: TimerKey?, limit: Int) async throws(StoreError) -> [ListedTimer] {
        try await timers(in: .default, after: key, limit: limit)
    }
}

extension StoreLookup {
    /// Returns a machine by its name in the default namespace.
    package func machine(named name: String, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try machine(MachineKey(MachineName(rawValue: name), in: .default), version: version)
    }

    /// Returns an instance by its name in the default namespace.
    package func instance(named name: String) throws(StoreError) -> InstanceRecord? {
        try instance(InstanceKey(InstanceName(rawValue: name), in: .default))
    }
}

extension StoreLookup {
    /// Returns the latest time in a forgotten key of the first partition.
    package func forgottenKeys() throws(StoreError) -> Timestamp { try forgottenKeys(in: .first) }
}

extension StoreWriter {
    /// The numbers of the first partition.
    package var numbers: StoreNumbers { numbers(in: .first) }
}
