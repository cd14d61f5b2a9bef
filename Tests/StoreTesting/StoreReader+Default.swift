package import WorkflowStore

// Reading a store without saying the namespace, and writing it without saying the partition: tests of something else
// use the default one and the first one.

extension StoreReader {
    /// The machine of a name in the default namespace.
    package func machine(named name: String, version: MachineVersion?) async throws(StoreError) -> MachineRecord? {
        try await machine(MachineKey(MachineName(rawValue: name), in: .default), version: version)
    }

    /// The latest versions of the default namespace's machines.
    package func machines(after name: MachineName?, limit: Int) async throws(StoreError) -> [MachineRecord] {
        try await machines(in: .default, after: name, limit: limit)
    }

    /// The latest names of the default namespace's machines.
    package func machineNames(limit: Int) async throws(StoreError) -> [MachineName] {
        try await machineNames(in: .default, limit: limit)
    }

    /// The instance of a name in the default namespace.
    package func instance(named name: String) async throws(StoreError) -> InstanceRecord? {
        try await instance(InstanceKey(InstanceName(rawValue: name), in: .default))
    }

    /// Names that stand near one in the default namespace.
    package func instanceNames(near name: InstanceName, limit: Int) async throws(StoreError) -> [InstanceName] {
        try await instanceNames(near: InstanceKey(name, in: .default), limit: limit)
    }

    /// A page of the default namespace's instances.
    package func instances(_ query: InstanceQuery) async throws(StoreError) -> InstancePage {
        try await instances(query, in: .default)
    }

    /// How many of the default namespace's instances are where.
    package func tally(_ query: TallyQuery) async throws(StoreError) -> [TallyRecord] {
        try await tally(query, in: .default)
    }

    /// A page of the effects of the default namespace's instances.
    package func effects(_ query: EffectQuery) async throws(StoreError) -> EffectPage {
        try await effects(query, in: .default)
    }

    /// The timers of the default namespace that are due next.
    package func timers(after key: TimerKey?, limit: Int) async throws(StoreError) -> [ListedTimer] {
        try await timers(in: .default, after: key, limit: limit)
    }
}

extension StoreLookup {
    /// The machine of a name in the default namespace.
    package func machine(named name: String, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try machine(MachineKey(MachineName(rawValue: name), in: .default), version: version)
    }

    /// The instance of a name in the default namespace.
    package func instance(named name: String) throws(StoreError) -> InstanceRecord? {
        try instance(InstanceKey(InstanceName(rawValue: name), in: .default))
    }
}

extension StoreLookup {
    /// The latest time that a forgotten key of the first partition says itself.
    package func forgottenKeys() throws(StoreError) -> Timestamp { try forgottenKeys(in: .first) }
}

extension StoreWriter {
    /// The numbers of the first partition.
    package var numbers: StoreNumbers { numbers(in: .first) }
}
