import WorkflowStore

/// Reads at once the rows that a batch looks up, in a store where each lookup takes a round trip. Used by the lane's
/// thread only.
final class BatchPrefetch {
    private let store: any StorePrefetch
    private let recent: WorkingSet
    private let limits: EngineLimits

    /// Returns `nil` if the store's lookups take no round trip.
    init?(of store: any StoreLookup, recent: WorkingSet, limits: EngineLimits) {
        guard let prefetch = store.prefetch else { return nil }
        self.store = prefetch
        self.recent = recent
        self.limits = limits
    }

    /// Begins a batch and drops the rows read for the previous batch, which may have changed.
    func begin() { store.forget() }

    /// Reads the rows that the first commands look up, as many commands as a batch has rows. Returns the number of
    /// these commands.
    func read(for commands: QueuedCommands) -> Int {
        let first = commands.prefix(limits.batchRows)
        var wanted = WantedRows()
        for entry in first { entry.command.want(&wanted) }
        read(wanted)
        return first.count
    }

    /// Reads instances by their ids.
    func read(_ ids: [InstanceID]) {
        var wanted = WantedRows()
        wanted.ids = Set(ids)
        read(wanted)
    }

    /// Reads the rows that recent batches do not have in memory.
    private func read(_ wanted: WantedRows) {
        var wanted = wanted
        wanted.instances = wanted.instances.filter { recent.instance($0) == nil }
        wanted.keys = Set(wanted.keys.map(known))
        if wanted.isEmpty { return }
        // After a failed prefetch each lookup reads for itself, and a command whose rows cannot be read gets the error.
        try? store.prefetch(wanted)
    }

    /// Replaces an instance's key by its id. Only the working set knows the id of an instance that is not committed
    /// yet.
    private func known(_ wanted: WantedKey) -> WantedKey {
        guard case .instance(let key) = wanted.scope, let instance = recent.instance(key) else { return wanted }
        return WantedKey(wanted.key, in: .known(.instance(instance.state.record.id)))
    }
}
