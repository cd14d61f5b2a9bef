import Statechart
import Synchronization
import WorkflowStore

/// The reads of a `FakeStore` that applying a command needs.
protocol FakeLookup: StoreLookup, StorePrefetch {
    var store: FakeStore { get }
    var prefetched: PrefetchedRows { get set }
    func read<Value>(_ body: (FakeContent) -> Value) throws(StoreError) -> Value
}

extension FakeLookup {
    package var prefetch: (any StorePrefetch)? { store.isRemote ? self : nil }

    package func prefetch(_ wanted: WantedRows) throws(StoreError) {
        try store.countPrefetch()
        prefetched = try read { [prefetched] content in
            var prefetched = prefetched
            prefetched.take(wanted, of: content)
            return prefetched
        }
    }

    package func forget() { prefetched = PrefetchedRows() }

    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        if let known = prefetched.machines[WantedMachine(key, version: version)] { return known }
        return try look { $0.machine(key, version: version) }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        if let known = prefetched.versions[id] { return known }
        return try look { $0.machine(id) }
    }

    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        store.content.withLock { $0.isSeeking }(key)
        if let known = prefetched.instances[key] { return known }
        return try look { $0.instance(key) }
    }

    package func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord] {
        try look { content in ids.compactMap { content.instance($0) } }
    }

    package func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey? {
        if let known = prefetched.names[id] { return known }
        return try look { $0.instanceKey(id) }
    }

    /// Returns the position for `position(of:in:)`.
    func found(_ key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        if let known = prefetched.position(of: key, in: scope) { return known }
        return try look { $0.position(of: key, in: scope) }
    }

    package func audit(key: Digest) throws(StoreError) -> AuditRecord? {
        try look { $0.audits.first { $0.key == key } }
    }

    package func lastChangeNumber() throws(StoreError) -> Int64? { try look { $0.changes.compactMap(\.number).max() } }

    package func effect(_ id: Position) throws(StoreError) -> EffectRecord? { try look { $0.effects[id] } }

    package func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord? {
        try look { $0.attempts[effect]?[number] }
    }

    package func row(at position: Position) throws(StoreError) -> JournalRecord? {
        try look { $0.row(at: position) }
    }

    package func openErasure(of instance: InstanceID) throws(StoreError) -> ErasureRecord? {
        try look { content in
            content.erasures.values.filter { $0.instanceID == instance && $0.walk != nil }.min { $0.id < $1.id }
        }
    }

    package func readyEffects(
        in partition: PartitionID, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws(StoreError) -> [EffectRecord] {
        try look { $0.readyEffects(in: partition, queue: queue, due: due, limit: limit, except: isLeftOut) }
    }

    package func nextReady(
        in partition: PartitionID, queue: String, after time: Timestamp?
    ) throws(StoreError) -> Timestamp? {
        try look { $0.nextReady(in: partition, queue: queue, after: time) }
    }

    package func leasedEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        // The engine reads these at a start, and not for a command.
        try read { $0.effects(in: partition, .leased, after: id, limit: limit) }
    }

    package func queues(in partition: PartitionID, after queue: String?, limit: Int) throws(StoreError) -> [String] {
        try look { $0.queues(in: partition, after: queue, limit: limit) }
    }

    package func heldEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        try read { $0.effects(in: partition, .held, after: id, limit: limit) }
    }

    package func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord] {
        try read { $0.queueRecords(after: queue, limit: limit) }
    }

    package func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting] {
        try read { $0.machineSettings(after: key, limit: limit) }
    }

    package func isHeld() throws(StoreError) -> Bool { try read { $0.isHeld } }

    package func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord? { try look { $0.runs[key] } }

    private func look<Value>(_ body: (FakeContent) -> Value) throws(StoreError) -> Value {
        try store.countLookup()
        return try read(body)
    }

    /// Returns the time that is stored with the numbers, and known with them, so that it needs no round trip.
    package func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp {
        try read { $0.part(partition).keys.forgotten }
    }
}

/// The writing side of a `FakeStore`.
final class FakeWriter: StoreWriter, FakeLookup {
    let store: FakeStore
    var prefetched = PrefetchedRows()
    let view: any StoreView
    let backups: (any BackupCopying)?
    let partitions: [PartitionID]
    let holdsErased = false
    let logHold: LogHold? = nil

    init(store: FakeStore, partitions: [PartitionID]) {
        self.store = store
        self.partitions = partitions
        view = FakeView(store: store)
        backups = store.backups is FailingBackups ? FailingBackups() : nil
    }

    func numbers(in partition: PartitionID) -> StoreNumbers { store.content.withLock { $0.part(partition).numbers } }

    func read<Value>(_ body: (FakeContent) -> Value) throws(StoreError) -> Value { try store.read(body) }

    func backlog(in partition: PartitionID) -> PurgeBacklog { store.content.withLock { $0.backlog(in: partition) } }

    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        let fails = store.content.withLock { content in
            content.failingTimerReads -= 1
            return content.failingTimerReads >= 0
        }
        if fails { throw StoreError(.unavailable, "made to fail") }
        return try read { $0.timers(in: partition, limit: limit) }
    }

    func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        try found(key, in: scope)
    }

    func resolve() -> CommitOutcome { store.content.withLock { $0.outcome } }

    func confirm() throws(StoreError) {
        let overtaken = store.content.withLock { content in
            content.confirmations += 1
            return content.overtaken
        }
        if let overtaken { throw overtaken }
    }

    func probe() throws(StoreError) {
        try read { _ in }
        let failure = store.content.withLock { $0.probeFailure.take() }
        if let failure { throw failure }
    }

    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        try read { _ in }
        store.hold.pass()
        let failure = store.content.withLock { content -> StoreError? in
            content.tries += 1
            do throws(StoreError) {
                return try Self.write(batches, to: &content)
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Writes all batches or none. Returns the error that is thrown although all of them are written.
    private static func write(_ batches: [StoreBatch], to content: inout FakeContent) throws(StoreError) -> StoreError?
    {
        var next = content
        var unanswered: StoreError?
        for batch in batches {
            try next.cover(batch)
            guard let failure = content.failures(content.tries, batch) else { continue }
            guard failure.code == .outcomeUnknown, content.outcome == .committed else { throw failure }
            unanswered = failure
        }
        for batch in batches {
            try next.forgetKeys(with: batch)
            try next.sweep(with: batch)
        }
        for batch in batches { try next.write(batch) }
        content = next
        content.commits.append(batches.count)
        return unanswered
    }

    func acceptClock(_ now: Timestamp, by actor: Actor?) -> AcceptedClock {
        store.content.withLock { $0.acceptClock(now, by: actor) }
    }

    func maintain() throws(StoreError) {
        try read { _ in }
        let failure = store.content.withLock { $0.maintenance($0.commits) }
        if let failure { throw failure }
    }

    func close() throws(StoreError) {
        try read { _ in }
        store.close(partitions)
    }
}

/// The content of a `FakeStore` at the first read, whatever is committed later.
final class FakeView: StoreView, FakeLookup {
    let store: FakeStore
    var prefetched = PrefetchedRows()
    private var content: FakeContent?
    private(set) var hasFailed = false

    init(store: FakeStore) {
        self.store = store
    }

    func read<Value>(_ body: (FakeContent) -> Value) throws(StoreError) -> Value {
        if let content { return body(content) }
        let content = try store.read { $0 }
        self.content = content
        return body(content)
    }

    func release() {
        forget()
        content = nil
        hasFailed = false
        let (views, viewed) = store.content.withLock { content in
            content.views += 1
            return (content.views, content.viewed)
        }
        viewed(views)
    }

    func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        let fails = store.content.withLock { content in
            content.failingLooks -= 1
            return content.failingLooks >= 0
        }
        if fails {
            hasFailed = true
            throw StoreError(.unavailable, "made to fail")
        }
        return try found(key, in: scope)
    }
}
