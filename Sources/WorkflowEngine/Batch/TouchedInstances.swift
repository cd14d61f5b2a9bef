import WorkflowStore

/// The instances that a batch read or changed, in the order in which it came to them.
struct TouchedInstances {
    private(set) var list: [LiveInstance] = []
    /// Names the batch, or the trial within it.
    private let number: UInt64
    /// Of a trial: its own copies. Nil where instances are changed in place.
    private var copies: [InstanceKey: LiveInstance]?

    /// - Parameter number: Another one for every batch and every trial.
    init(number: UInt64) {
        self.number = number
    }

    mutating func reserve(_ count: Int) { list.reserveCapacity(count) }

    /// An instance of which a trial has a copy already.
    func copy(of key: InstanceKey) -> LiveInstance? { copies?[key] }

    /// Takes an instance; gives the one that this batch may change.
    mutating func touch(_ known: LiveInstance) -> LiveInstance {
        if known.entry.number == number { return known }
        let own = copies == nil ? known : known.copy()
        own.entry = BatchEntry(number: number, isNew: false)
        enter(own)
        return own
    }

    /// Takes an instance that begins in this batch.
    mutating func add(started instance: LiveInstance) {
        instance.entry = BatchEntry(number: number, isNew: true)
        enter(instance)
    }

    private mutating func enter(_ instance: LiveInstance) {
        list.append(instance)
        copies?[instance.state.record.key] = instance
    }

    /// The same instances, which can be changed without changing these.
    func trial(number: UInt64) -> TouchedInstances {
        var trial = TouchedInstances(number: number)
        trial.copies = [:]
        for instance in list {
            let copy = instance.copy()
            copy.entry.number = number
            trial.enter(copy)
        }
        return trial
    }

    /// Puts what a trial made in the place of what it was made of.
    func settle(in recent: WorkingSet) {
        guard let copies else { return }
        for instance in copies.values { recent.keep(instance) }
    }

    /// Encodes what changed, for the transaction.
    func write(to batch: inout StoreBatch) {
        batch.changedInstances.reserveCapacity(list.count)
        for instance in list { instance.write(to: &batch) }
    }
}
