import WorkflowStore

/// Reads at once what a batch looks up, of a store where each lookup takes a round trip. For the lane's thread.
final class BatchPrefetch {
    private let store: any StorePrefetch
    private let recent: WorkingSet
    private let limits: EngineLimits

    /// Nil where a lookup costs no round trip.
    init?(of store: any StoreLookup, recent: WorkingSet, limits: EngineLimits) {
        guard let prefetch = store.prefetch else { return nil }
        self.store = prefetch
        self.recent = recent
        self.limits = limits
    }

    /// A batch begins: what was read for the one before may have changed.
    func begin() { store.forget() }

    /// Reads what the first commands look up, as many as a batch has rows; gives their number.
    func read(for commands: QueuedCommands) -> Int {
        let first = commands.prefix(limits.batchRows)
        var wanted = WantedRows()
        for entry in first { entry.command.want(&wanted) }
        read(wanted)
        return first.count
    }

    /// Reads instances by their numbers.
    func read(_ ids: [InstanceID]) {
        var wanted = WantedRows()
        wanted.ids = Set(ids)
        read(wanted)
    }

    /// Reads what is not known from recent batches.
    private func read(_ wanted: WantedRows) {
        var wanted = wanted
        wanted.instances = wanted.instances.filter { recent.instance($0) == nil }
        wanted.keys = Set(wanted.keys.map(known))
        if wanted.isEmpty { return }
        // Without it each lookup reads for itself, and whoever needs what cannot be read is told.
        try? store.prefetch(wanted)
    }

    /// An instance that is not committed yet is known by its number only here.
    private func known(_ wanted: WantedKey) -> WantedKey {
        guard case .instance(let key) = wanted.scope, let instance = recent.instance(key) else { return wanted }
        return WantedKey(wanted.key, in: .known(.instance(instance.state.record.id)))
    }
}
