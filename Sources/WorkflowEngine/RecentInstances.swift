import WorkflowStore

/// What is committed, of recent instances; for the writer's thread.
final class RecentInstances {
    private var cache: GenerationCache<String, LiveInstance>

    /// - Parameter bound: Bytes, about.
    init(bound: Int) {
        cache = GenerationCache(bound: bound)
    }

    func instance(named name: String) -> LiveInstance? { cache.value(for: name, cost: \.size) }

    func keep(_ instance: LiveInstance) {
        cache.insert(instance, for: instance.record.name, cost: instance.size)
    }
}
