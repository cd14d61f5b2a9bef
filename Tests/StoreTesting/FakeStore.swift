import Foundation
package import Synchronization
package import WorkflowStore

/// A store in memory whose commits can be held up and made to fail.
package final class FakeStore: WorkflowStore {
    package let content: Mutex<FakeContent>
    /// The gate that can hold commits up.
    package let hold = Hold()
    package let identity = StoreIdentity(uuid: UniqueID(bytes: Array(repeating: 7, count: 16)), generation: 1)
    package let partitions: [PartitionID]
    /// True if every lookup of the writer takes a round trip, and many rows can be read with one.
    let isRemote: Bool
    package let backups: (any StoreBackups)?
    private let writing = Mutex(Writing())
    private let counted = Mutex(Trips())

    /// The numbers of lookups' round trips.
    package struct Trips: Sendable, Equatable {
        /// The number of round trips for combined reads, including failed ones.
        package var prefetches = 0
        /// The number of round trips for lookups that memory could not answer.
        package var lookups = 0

        /// Creates the counts.
        package init(prefetches: Int = 0, lookups: Int = 0) {
            self.prefetches = prefetches
            self.lookups = lookups
        }
    }

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - partitions: The number of partitions; `WFD_TEST_PARTITIONS` replaces the usual 1.
    ///   - backups: The backups that the store offers; its writer fails to copy.
    ///   - isRemote: True if its lookups are counted as round trips, and can be combined.
    package convenience init(
        partitions: Int = usualPartitions, backups: (any StoreBackups)? = nil, isRemote: Bool = false
    ) {
        self.init(FakeContent(partitions: partitions), backups: backups, isRemote: isRemote)
    }

    package static let usualPartitions =
        ProcessInfo.processInfo.environment["WFD_TEST_PARTITIONS"].flatMap { Int($0) } ?? 1

    private init(_ content: FakeContent, backups: (any StoreBackups)?, isRemote: Bool) {
        self.isRemote = isRemote
        partitions = content.partitions
        self.content = Mutex(content)
        self.backups = backups
    }

    /// Returns the store in the state of a reopening after it was closed.
    package func reopened() -> FakeStore {
        var content = content.withLock { $0 }
        precondition(content.isClosed, "a store is closed before it is opened again")
        content.isClosed = false
        return FakeStore(content, backups: backups, isRemote: isRemote)
    }

    /// The partitions whose writing side was taken, and those where it was given back.
    private struct Writing {
        var taken: Set<PartitionID> = []
        var closed: Set<PartitionID> = []
    }

    package func writer(of partitions: [PartitionID]) throws(StoreError) -> sending any StoreWriter {
        let isFree = writing.withLock { writing in
            guard writing.taken.isDisjoint(with: partitions) else { return false }
            writing.taken.formUnion(partitions)
            return true
        }
        guard isFree else { throw StoreError(.locked, "taken already") }
        return FakeWriter(store: self, partitions: partitions)
    }

    /// Closes the writing side of partitions, and with the last the store.
    func close(_ partitions: [PartitionID]) {
        let isLast = writing.withLock { writing in
            writing.closed.formUnion(partitions)
            return writing.closed.count == self.partitions.count
        }
        if isLast { content.withLock { $0.isClosed = true } }
    }

    /// Sets the commits that fail from now on; attempts are counted from 1 again.
    package func fail(_ failures: @escaping @Sendable (_ attempt: Int, _ batch: StoreBatch) -> StoreError?) {
        content.withLock { content in
            content.tries = 0
            content.failures = failures
        }
    }

    /// The number of attempted commits since `fail`.
    package var tries: Int { content.withLock { $0.tries } }

    /// The round trips since `forgetTrips`.
    package var trips: Trips { counted.withLock { $0 } }

    /// Counts round trips from 0 again.
    package func forgetTrips() { counted.withLock { $0 = Trips() } }

    /// Counts a lookup that leaves memory.
    func countLookup() throws(StoreError) {
        if isRemote { counted.withLock { $0.lookups += 1 } }
        let fails = content.withLock { content in
            guard content.failingLookups > 0 else { return false }
            content.failingLookups -= 1
            return true
        }
        if fails { throw StoreError(.unavailable, "made to fail") }
    }

    /// Counts a combined read.
    func countPrefetch() throws(StoreError) {
        let number = counted.withLock { trips in
            trips.prefetches += 1
            return trips.prefetches
        }
        let (told, fails) = content.withLock { content in
            content.failingPrefetches -= 1
            return (content.prefetched, content.failingPrefetches >= 0)
        }
        told(number)
        if fails { throw StoreError(.unavailable, "made to fail") }
    }

    /// Returns an instance by its name in the default namespace, also when the store is closed.
    package func record(_ name: String) -> InstanceRecord? {
        content.withLock { $0.instance(InstanceKey(InstanceName(rawValue: name), in: .default)) }
    }

    /// The audit, which this store lacks.
    package var audit: (any StoreAudit)? { nil }

    package func usage() -> StoreUsage? { nil }

    package var upkeep: (any StoreUpkeep)? { nil }

    package var holdReason: String? { nil }

    package var lineage: Lineage { Lineage([], generation: identity.generation) }

    func read<Value>(_ body: (FakeContent) -> Value) throws(StoreError) -> Value {
        let value = content.withLock { $0.isClosed ? nil : body($0) }
        guard let value else { throw StoreError(.closed, "The store is closed") }
        return value
    }
}

// MARK: Reading

extension FakeStore {
    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try read { $0.machine(key, version: version) }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? { try read { $0.machine(id) } }

    package func machines(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) throws(StoreError) -> [MachineRecord] {
        try read { $0.machines(in: namespace, after: name, limit: limit) }
    }

    package func machineNames(in namespace: NamespaceID, limit: Int) throws(StoreError) -> [MachineName] {
        try read { $0.machineNames(in: namespace, limit: limit) }
    }

    package func machineSetting(of key: MachineKey) throws(StoreError) -> MachineSetting? {
        try read { $0.settings[key] }
    }

    package func machineSettings(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) throws(StoreError) -> [MachineSetting] {
        try read { content in
            let begin = MachineKey(name ?? "", in: namespace)
            return content.machineSettings(after: begin, limit: .max).filter { $0.key.namespace == namespace }
                .prefix(limit).map(\.self)
        }
    }

    package func erasures(after id: Int64?, limit: Int) throws(StoreError) -> [ErasureRecord] {
        try read { $0.erasures(after: id, limit: limit) }
    }

    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? { try read { $0.instance(key) } }

    package func instance(_ id: InstanceID) throws(StoreError) -> InstanceRecord? { try read { $0.instance(id) } }

    package func instanceNames(near key: InstanceKey, limit: Int) throws(StoreError) -> [InstanceName] {
        try read { $0.instanceNames(near: key, limit: limit) }
    }

    package func instances(_ query: InstanceQuery, in namespace: NamespaceID) throws(StoreError) -> InstancePage {
        try read { $0.instances(query, in: namespace) }
    }

    package func tally(_ query: TallyQuery, in namespace: NamespaceID) throws(StoreError) -> [TallyRecord] {
        try read { $0.tally(query, in: namespace) }
    }

    package func oldestRunning(in namespace: NamespaceID, atMost bound: Int) throws(StoreError) -> [OldestInState] {
        try read { $0.oldestRunning(in: namespace, atMost: bound) }
    }

    package func history(_ query: HistoryQuery) throws(StoreError) -> [JournalRecord] {
        try read { $0.history(query) }
    }

    package func snapshot(of instance: InstanceID, atOrBefore seq: Seq) throws(StoreError) -> SnapshotRecord? {
        try read { $0.snapshot(of: instance, atOrBefore: seq) }
    }

    package func timers(
        in namespace: NamespaceID, after key: TimerKey?, limit: Int
    ) throws(StoreError) -> [ListedTimer] {
        try read { $0.timers(in: namespace, after: key, limit: limit) }
    }

    package func audits(_ query: AuditQuery, in namespace: NamespaceID) throws(StoreError) -> AuditPage {
        try read { $0.audits(query, in: namespace) }
    }

    package func effects(_ ids: [Position]) throws(StoreError) -> [EffectRecord] { try read { $0.effects(ids) } }

    package func effects(_ query: EffectQuery, in namespace: NamespaceID) throws(StoreError) -> EffectPage {
        try read { $0.effects(query, in: namespace) }
    }

    package func queues(_ query: QueueQuery) throws(StoreError) -> [QueueSummary] { try read { $0.queues(query) } }

    package func calls(behind head: Position) throws(StoreError) -> [Position] { try read { $0.calls(behind: head) } }

    package func attempts(behindRowsFrom row: Position, limit: Int) throws(StoreError) -> AttemptPage {
        try read { $0.attempts(behindRowsFrom: row, limit: limit) }
    }

    package func attempts(of effect: Position, instance: InstanceID) throws(StoreError) -> [AttemptRecord] {
        try read { $0.attempts(of: effect, instance: instance) }
    }

    package func selection(_ query: SelectionQuery, in namespace: NamespaceID) throws(StoreError) -> SelectionSlice {
        try read { $0.selection(query, in: namespace) }
    }

    package func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord? { try read { $0.runs[key] } }

    package func bulkRuns(after key: BulkKey?, limit: Int) throws(StoreError) -> [BulkRecord] {
        try read { $0.bulkRuns(after: key, limit: limit) }
    }

    package func bulkNames(of key: BulkKey, from number: Int64) throws(StoreError) -> [InstanceName] {
        try read { Array($0.runNames[key, default: []].dropFirst(Int(number))) }
    }

    package func continued(_ searches: [StaySearch]) throws(StoreError) -> [StaySearch] {
        try read { content in
            searches.map { search in
                var search = search
                while let position = search.next {
                    if let row = content.row(at: position), row.instanceID == search.instance {
                        search.take(at: row.at, from: row.from, previous: row.previous)
                    } else {
                        search.end()
                    }
                }
                return search
            }
        }
    }

    package func rows(at positions: [Position]) throws(StoreError) -> [JournalRecord] {
        try read { content in positions.compactMap { content.row(at: $0) } }
    }

    package func look<Result: Sendable>(
        in partition: PartitionID, _ body: @Sendable (any StoreLookup, StoreNumbers) -> Result
    ) throws(StoreError) -> Result {
        let view = FakeView(store: self)
        let numbers = try view.read { $0.part(partition).numbers }
        return body(view, numbers)
    }

    package func row(before position: Position) throws(StoreError) -> JournalRecord? {
        try read { $0.row(before: position) }
    }

    package func journal(_ query: JournalQuery, in namespace: NamespaceID) throws(StoreError) -> JournalSlice {
        try read { $0.journal(query, in: namespace) }
    }

    package func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) throws(StoreError) -> (result: Result, reach: JournalReach) {
        let slice = try journal(query, in: namespace)
        var result = result
        for row in slice.rows { row.lend { add(&result, $0) } }
        return (result, JournalReach(through: slice.through, isLast: slice.isLast))
    }

    package func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) throws(StoreError) -> Seq? {
        try read { $0.seq(of: instance, before: position) }
    }
}
