import Foundation
import Statechart
import Synchronization
import WorkflowStore

/// A store in memory whose commits can be held up and made to fail.
final class FakeStore: WorkflowStore {
    /// What is committed, and how the next commits go.
    struct Content {
        var numbers = StoreNumbers(
            nextPosition: Position(rawValue: 1), nextInstance: InstanceID(rawValue: 1),
            nextMachine: MachineID(rawValue: 1), last: Timestamp(rawValue: 0))
        var machines: [MachineRecord] = []
        var instances: [InstanceKey: InstanceRecord] = [:]
        var journal: [JournalRecord] = []
        var timers: [TimerRecord] = []
        var keys: [KeyRecord] = []
        /// Commits that were tried since `failures` was set.
        var tries = 0
        /// Says for each try, counted from 1, whether it fails.
        var failures: @Sendable (_ attempt: Int, _ batch: StoreBatch) -> StoreError? = { _, _ in nil }
        var isClosed = false
        /// Says after each commit, given how many batches all of them had, whether looking after the store fails.
        var maintenance: @Sendable (_ commits: [Int]) -> StoreError? = { _ in nil }
        /// What is found out about a commit that was made to fail with an unknown outcome.
        var outcome = CommitOutcome.unknown
        /// How often somebody asked whether the store is still theirs.
        var confirmations = 0
        /// What is answered then; nil when it is.
        var overtaken: StoreError?
        /// How many batches each commit had.
        var commits: [Int] = []
        /// Batches that were applied while another was being committed.
        var views = 0
        /// Called with `views` when one of them has been applied.
        var viewed: @Sendable (_ views: Int) -> Void = { _ in }
        /// Looks at keys beside a commit that fail from now on.
        var failingLooks = 0

        fileprivate mutating func take(_ batch: StoreBatch) {
            numbers = batch.numbers
            machines += batch.machines
            for record in batch.newInstances + batch.changedInstances { instances[record.key] = record }
            journal += batch.journal
            timers.removeAll { batch.endedTimers.contains($0.key) }
            timers += batch.armedTimers
            keys += batch.keys
        }
    }

    let content = Mutex(Content())
    let hold = Hold()
    private let hasBackups: Bool
    let identity = StoreIdentity(uuid: UniqueID(bytes: Array(repeating: 7, count: 16)), generation: 1)

    fileprivate let isTaken = Atomic(false)

    /// - Parameter hasBackups: Whether it makes backups, all of which fail.
    init(hasBackups: Bool = false) {
        self.hasBackups = hasBackups
    }

    func writer() throws(StoreError) -> sending any StoreWriter {
        guard !isTaken.exchange(true, ordering: .relaxed) else { throw StoreError(.locked, "taken already") }
        return FakeWriter(store: self)
    }

    /// From now on, says which commits fail; tries are counted from 1 again.
    func fail(_ failures: @escaping @Sendable (_ attempt: Int, _ batch: StoreBatch) -> StoreError?) {
        content.withLock { content in
            content.tries = 0
            content.failures = failures
        }
    }

    /// Commits that were tried since `fail`.
    var tries: Int { content.withLock { $0.tries } }

    func machine(_ key: MachineKey, version: MachineVersion?) -> MachineRecord? {
        content.withLock { content in
            content.machines.last { $0.key == key && (version == nil || $0.version == version) }
        }
    }

    func machine(_ id: MachineID) -> MachineRecord? {
        content.withLock { content in content.machines.first { $0.id == id } }
    }

    var partitions: [PartitionID] { [.first] }

    func machines(in namespace: NamespaceID, after name: MachineName?, limit: Int) -> [MachineRecord] { [] }

    func machineNames(in namespace: NamespaceID, limit: Int) -> [MachineName] { [] }

    func instance(_ key: InstanceKey) -> InstanceRecord? { content.withLock { $0.instances[key] } }

    /// The instance of a name in the default namespace.
    func record(_ name: String) -> InstanceRecord? {
        instance(InstanceKey(InstanceName(rawValue: name), in: .default))
    }

    func instanceNames(near key: InstanceKey, limit: Int) -> [InstanceName] { [] }

    func instances(_ query: InstanceQuery, in namespace: NamespaceID) -> InstancePage {
        InstancePage(instances: [], next: nil)
    }

    func history(_ query: HistoryQuery) -> [JournalRecord] {
        content.withLock { content in
            content.journal.filter {
                $0.instanceID == query.instance && query.seqs.contains($0.seq.rawValue) && $0.position <= query.head
            }
        }
    }

    func timers(in namespace: NamespaceID, after key: TimerKey?, limit: Int) -> [ListedTimer] { [] }

    func row(at position: Position) -> JournalRecord? {
        content.withLock { content in content.journal.first { $0.position == position } }
    }

    func instance(_ id: InstanceID) -> InstanceRecord? {
        content.withLock { content in content.instances.values.first { $0.id == id } }
    }

    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) -> SnapshotRecord? { nil }
}

/// What it lacks.
extension FakeStore {
    var audit: (any StoreAudit)? { nil }

    var backups: (any StoreBackups)? { hasBackups ? FailingBackups() : nil }

    var lineage: Lineage { Lineage([], generation: identity.generation) }

    func row(before position: Position) -> JournalRecord? {
        content.withLock { content in content.journal.last { $0.position < position } }
    }

    func seq(of instance: InstanceID, head: Position, headSeq: Seq, before position: Position) -> Seq? {
        content.withLock { content in
            content.journal.last { $0.instanceID == instance && $0.position < position }?.seq
        }
    }
}

/// Backups that cannot be made.
private final class FailingBackups: StoreBackups, BackupCopying {
    private static let error = StoreError(.unavailable, "made to fail")

    func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup { throw Self.error }

    func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader { throw Self.error }

    func removeBackup(_ name: BackupName) {}

    func beginBackup(_ name: BackupName) throws(StoreError) { throw Self.error }

    func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress { throw Self.error }

    func abandonBackup() {}
}

/// The writing side of a `FakeStore`.
private final class FakeWriter: StoreWriter {
    private let store: FakeStore
    let view: any StoreView
    let backups: (any BackupCopying)?

    init(store: FakeStore) {
        self.store = store
        view = FakeView(store: store)
        backups = store.backups == nil ? nil : FailingBackups()
    }

    var numbers: StoreNumbers { store.content.withLock { $0.numbers } }

    func machine(_ key: MachineKey, version: MachineVersion?) -> MachineRecord? { store.machine(key, version: version) }

    func machine(_ id: MachineID) -> MachineRecord? { store.machine(id) }

    func instance(_ key: InstanceKey) -> InstanceRecord? { store.instance(key) }

    func forgottenKeys() -> Timestamp { Timestamp(rawValue: 0) }

    func instanceKey(_ id: InstanceID) -> InstanceKey? { store.instance(id)?.key }

    func timers(in partition: PartitionID, limit: Int) -> [TimerRecord] {
        store.content.withLock { Array($0.timers.sorted { $0.key < $1.key }.prefix(limit)) }
    }

    func position(of key: RequestKey, in scope: KeyScope) -> Position? {
        store.content.withLock { content in content.keys.first { $0.key == key && $0.scope == scope }?.position }
    }

    func resolve() -> CommitOutcome { store.content.withLock { $0.outcome } }

    func confirm() throws(StoreError) {
        let overtaken = store.content.withLock { content in
            content.confirmations += 1
            return content.overtaken
        }
        if let overtaken { throw overtaken }
    }

    func probe() throws(StoreError) {}

    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        store.hold.pass()
        let failure: StoreError? = store.content.withLock { content in
            content.tries += 1
            var next = content
            // Of a commit that is made all the same.
            var unanswered: StoreError?
            for batch in batches {
                if batch.base ?? next.numbers != next.numbers { return StoreError(.constraint, "without ground") }
                if let failure = content.failures(content.tries, batch) {
                    guard failure.code == .outcomeUnknown, content.outcome == .committed else { return failure }
                    unanswered = failure
                }
                next.take(batch)
            }
            content = next
            content.commits.append(batches.count)
            return unanswered
        }
        if let failure { throw failure }
    }

    func acceptClock(_ now: Timestamp) -> AcceptedClock {
        store.content.withLock { $0.numbers.last = now }
        return AcceptedClock(ahead: 0, names: [])
    }

    func maintain() throws(StoreError) {
        let failure = store.content.withLock { $0.maintenance($0.commits) }
        if let failure { throw failure }
    }

    /// Another engine may go on with what is there.
    func close() {
        store.content.withLock { $0.isClosed = true }
        store.isTaken.store(false, ordering: .relaxed)
    }
}

/// What is committed in a `FakeStore` when something is read first, whatever is committed then.
private final class FakeView: StoreView {
    private let store: FakeStore
    private var content: FakeStore.Content?
    private(set) var hasFailed = false

    init(store: FakeStore) {
        self.store = store
    }

    private func read() -> FakeStore.Content {
        let content = content ?? store.content.withLock { $0 }
        self.content = content
        return content
    }

    func release() {
        content = nil
        hasFailed = false
        let (views, viewed) = store.content.withLock { content in
            content.views += 1
            return (content.views, content.viewed)
        }
        viewed(views)
    }

    func machine(_ key: MachineKey, version: MachineVersion?) -> MachineRecord? {
        read().machines.last { $0.key == key && (version == nil || $0.version == version) }
    }

    func machine(_ id: MachineID) -> MachineRecord? { read().machines.first { $0.id == id } }

    func instance(_ key: InstanceKey) -> InstanceRecord? { read().instances[key] }

    func instanceKey(_ id: InstanceID) -> InstanceKey? { read().instances.values.first { $0.id == id }?.key }

    func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        let fails = store.content.withLock { content in
            content.failingLooks -= 1
            return content.failingLooks >= 0
        }
        if fails {
            hasFailed = true
            throw StoreError(.unavailable, "made to fail")
        }
        return read().keys.first { $0.key == key && $0.scope == scope }?.position
    }

    func forgottenKeys() -> Timestamp { Timestamp(rawValue: 0) }
}

/// A place where the writer can be held up.
///
/// `@unchecked Sendable`: every stored property but `condition` is read and written under `condition` only.
final class Hold: @unchecked Sendable {
    private let condition = NSCondition()
    private var isShut = false
    private var isSomebodyHeld = false
    private var watcher: CheckedContinuation<Void, Never>?

    /// From now on whoever comes is held up.
    func shut() { locked { isShut = true } }

    /// Lets go who is held up, and all that come.
    func open() { locked { isShut = false } }

    /// Waits for somebody to be held up. For one caller at a time.
    func somebodyIsHeld() async {
        await withCheckedContinuation { continuation in
            let isHeld = locked {
                if !isSomebodyHeld { watcher = continuation }
                return isSomebodyHeld
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Blocks until somebody is held up.
    func waitForSomebodyHeld() { locked { while !isSomebodyHeld { condition.wait() } } }

    /// Blocks while the place is shut.
    fileprivate func pass() {
        locked {
            guard isShut else { return }
            isSomebodyHeld = true
            condition.broadcast()
            watcher?.resume()
            watcher = nil
            while isShut { condition.wait() }
            isSomebodyHeld = false
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        let value = body()
        condition.broadcast()
        return value
    }
}
