import WorkflowStore

/// The instances that a batch read or changed, in the order in which it came to them.
struct TouchedInstances {
    /// Where an instance is.
    struct Place {
        fileprivate let index: Int
    }

    fileprivate struct Entry {
        var instance: LiveInstance
        /// Whether it begins in this batch.
        let isNew: Bool
        var isChanged = false
        /// Its timers in the store.
        let storedTimers: [TimerRecord]
        /// Macrosteps of what came by itself in this batch.
        var firings = 0
    }

    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]

    func place(of name: String) -> Place? { indices[name].map(Place.init) }

    func instance(named name: String) -> LiveInstance? { indices[name].map { entries[$0].instance } }

    mutating func add(_ instance: LiveInstance, isNew: Bool) -> Place {
        indices[instance.record.name] = entries.count
        entries.append(Entry(instance: instance, isNew: isNew, storedTimers: isNew ? [] : instance.timers))
        return Place(index: entries.count - 1)
    }

    subscript(_ place: Place) -> LiveInstance {
        get { entries[place.index].instance }
        _modify { yield &entries[place.index].instance }
    }

    mutating func changed(_ place: Place) { entries[place.index].isChanged = true }

    mutating func countFiring(of place: Place) { entries[place.index].firings += 1 }

    func firings(of place: Place) -> Int { entries[place.index].firings }

    func forEach(_ body: (LiveInstance) -> Void) {
        for entry in entries { body(entry.instance) }
    }

    /// The instances that have new history.
    var changed: [InstanceID] { entries.lazy.filter(\.isChanged).map(\.instance.record.id) }

    /// Encodes what changed, for the transaction.
    mutating func write(to batch: inout StoreBatch) {
        batch.changedInstances.reserveCapacity(entries.count)
        for index in entries.indices where entries[index].isChanged {
            let record = entries[index].instance.written()
            if entries[index].isNew { batch.newInstances.append(record) } else { batch.changedInstances.append(record) }
            entries[index].writeTimers(to: &batch)
        }
    }
}

extension TouchedInstances.Entry {
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
