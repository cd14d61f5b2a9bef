import WorkflowStore

/// Recent instances as the last command left them, whether that is on disk or not; for the writer's thread.
///
/// Batches change them in place. So when one fails all are forgotten, and read again from what is committed.
final class WorkingSet {
    private let bound: Int
    @exclusivity(unchecked) private var cache: GenerationCache<InstanceKey, LiveInstance>

    /// - Parameter bound: Bytes, about.
    init(bound: Int) {
        self.bound = bound
        cache = GenerationCache(bound: bound)
    }

    func instance(_ key: InstanceKey) -> LiveInstance? { cache.value(for: key, cost: \.countedBytes) }

    func keep(_ instance: LiveInstance) {
        cache.insert(instance, for: instance.state.record.key, cost: instance.countedBytes)
    }

    /// Counts what instances take after a batch.
    func recount(_ instances: [LiveInstance]) {
        cache.grow(by: instances.reduce(0) { $1.entry.isChanged ? $0 + $1.recount() : $0 })
    }

    /// Makes room. What was asked for or kept since the last call stays.
    func trim() { cache.trim() }

    func forgetAll() { cache = GenerationCache(bound: bound) }
}
