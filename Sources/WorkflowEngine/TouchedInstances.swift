import WorkflowStore

/// An instance that a batch read or changed.
final class TouchedInstance {
    /// The batch's own.
    let instance: LiveInstance
    /// Whether it begins in this batch.
    let isNew: Bool
    var isChanged = false
    /// Macrosteps of what came by itself in this batch.
    var firings = 0
    /// Its timers in the store.
    private let storedTimers: [TimerRecord]

    fileprivate init(_ instance: LiveInstance, isNew: Bool) {
        self.instance = instance
        self.isNew = isNew
        storedTimers = isNew ? [] : instance.timers
    }

    fileprivate init(copying other: TouchedInstance) {
        instance = LiveInstance(copying: other.instance)
        isNew = other.isNew
        isChanged = other.isChanged
        firings = other.firings
        storedTimers = other.storedTimers
    }

    /// The timers that the instance has in the store, and those that it must have: what is armed and ended within the
    /// batch never gets there.
    fileprivate func writeTimers(to batch: inout StoreBatch) {
        let timers = instance.timers
        if storedTimers.isEmpty, timers.isEmpty { return }
        let known = Set(storedTimers)
        let kept = Set(timers)
        batch.endedTimers += storedTimers.lazy.filter { !kept.contains($0) }.map(\.key)
        batch.armedTimers += timers.lazy.filter { !known.contains($0) }
    }
}

/// The instances that a batch read or changed, in the order in which it came to them.
struct TouchedInstances {
    private(set) var list: [TouchedInstance] = []
    private var names: [String: TouchedInstance] = [:]

    subscript(_ name: String) -> TouchedInstance? { names[name] }

    /// Takes an instance as it is committed, or about to be.
    mutating func add(_ known: LiveInstance) -> TouchedInstance {
        enter(TouchedInstance(LiveInstance(copying: known), isNew: false))
    }

    /// Takes an instance that nobody else has.
    mutating func add(own instance: LiveInstance, isNew: Bool) -> TouchedInstance {
        enter(TouchedInstance(instance, isNew: isNew))
    }

    private mutating func enter(_ touched: TouchedInstance) -> TouchedInstance {
        list.append(touched)
        names[touched.instance.record.name] = touched
        return touched
    }

    /// The same instances, which can be changed without changing these.
    func copy() -> TouchedInstances {
        var copy = TouchedInstances()
        for touched in list { _ = copy.enter(TouchedInstance(copying: touched)) }
        return copy
    }

    /// The instances that have new history.
    var changed: [InstanceID] { list.lazy.filter(\.isChanged).map(\.instance.record.id) }

    /// Encodes what changed, for the transaction.
    func write(to batch: inout StoreBatch) {
        batch.changedInstances.reserveCapacity(list.count)
        for touched in list where touched.isChanged {
            let record = touched.instance.written()
            if touched.isNew { batch.newInstances.append(record) } else { batch.changedInstances.append(record) }
            touched.writeTimers(to: &batch)
        }
    }
}
