/// What a durable place for machines, instances and their history tells.
///
/// Reading is for everybody and at any time; each call sees one committed state.
package protocol StoreReader: Sendable {
    /// Names the store and its generation, for cursors.
    var identity: StoreIdentity { get }

    /// The partitions, in their order: at least the first.
    var partitions: [PartitionID] { get }

    /// The highest version of a machine, or the named one; nil when there is none.
    func machine(_ key: MachineKey, version: MachineVersion?) async throws(StoreError) -> MachineRecord?

    /// A machine version by its row number; nil when there is none.
    func machine(_ id: MachineID) async throws(StoreError) -> MachineRecord?

    /// The latest version of each machine of a namespace, in the order of their names' bytes, after `name`; at most
    /// `limit`.
    func machines(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineRecord]

    /// The latest names of a namespace's machines, for suggestions; at most `limit`.
    func machineNames(in namespace: NamespaceID, limit: Int) async throws(StoreError) -> [MachineName]

    /// What somebody has set for a machine; nil for the defaults.
    func machineSetting(of key: MachineKey) async throws(StoreError) -> MachineSetting?

    /// What somebody has set for machines of a namespace, in the order of their names' bytes, after `name`; at most
    /// `limit`.
    func machineSettings(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineSetting]

    /// An instance with its current state; nil when there is none.
    func instance(_ key: InstanceKey) async throws(StoreError) -> InstanceRecord?

    /// Names of instances of the same namespace that stand near a name in the order of bytes, for suggestions; at most
    /// `limit`.
    func instanceNames(near key: InstanceKey, limit: Int) async throws(StoreError) -> [InstanceName]

    /// A page of a namespace's instances. Reads a bounded number of rows, so a page may be short and still have a next
    /// one.
    func instances(_ query: InstanceQuery, in namespace: NamespaceID) async throws(StoreError) -> InstancePage

    /// How many of a namespace's instances are where: in the order of versions' row numbers, then of the bytes of
    /// statuses and configurations. None of these counts is 0.
    func tally(_ query: TallyQuery, in namespace: NamespaceID) async throws(StoreError) -> [TallyRecord]

    /// Since when the running instances of a namespace are in their configurations: the longest of each machine version
    /// and configuration, in no order, of at most `bound` of these. Reads the whole table of instances, in slices.
    func oldestRunning(in namespace: NamespaceID, atMost bound: Int) async throws(StoreError) -> [OldestInState]

    /// A page of an instance's history, in seq order or reversed. `head` and `seq` are the instance's when the first
    /// page was read: rows after them are not shown, so that paging backwards is stable. At most 1,000 rows: of a
    /// longer range the first of its order.
    func history(_ query: HistoryQuery) async throws(StoreError) -> [JournalRecord]

    /// The last snapshot of an instance at or before a seq; nil when it has none that early.
    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) async throws(StoreError) -> SnapshotRecord?

    /// The running timers of a namespace that are due next, after one of them; at most `limit`, with the names of their
    /// instances.
    func timers(
        in namespace: NamespaceID, after key: TimerKey?, limit: Int
    ) async throws(StoreError) -> [ListedTimer]

    /// The effects with these ids that are there, in the order of ids.
    func effects(_ ids: [Position]) async throws(StoreError) -> [EffectRecord]

    /// A page of the effects of a namespace's instances, in the order of their ids. Reads a bounded number of rows, so
    /// a page may be short, or empty, and still have a next one.
    func effects(_ query: EffectQuery, in namespace: NamespaceID) async throws(StoreError) -> EffectPage

    /// The ids of an instance's effects for which nobody waits, found behind its rows from the head back; the first
    /// that began first.
    func calls(behind head: Position) async throws(StoreError) -> [Position]

    /// The attempts of an effect that are kept, in their order, also when it has ended. None when the effect is of
    /// another instance.
    func attempts(of effect: Position, instance: InstanceID) async throws(StoreError) -> [AttemptRecord]

    /// A page of the attempts that are kept of an instance's effects, those that have ended too: the effects behind a
    /// row of the instance, then those behind the rows before it; of each row in their order. A page ends behind a row,
    /// when it has `limit` attempts or has read a bounded number of rows; so it may be longer, or short and still have
    /// a next one.
    func attempts(behindRowsFrom row: Position, limit: Int) async throws(StoreError) -> AttemptPage

    /// Queues that have an effect or settings, in the order of their names' bytes, with what waits in them; at most
    /// `limit`.
    func queues(_ query: QueueQuery) async throws(StoreError) -> [QueueSummary]

    /// Deletions of a namespace's instances, the latest first, before a position; at most `limit`.
    func audits(
        in namespace: NamespaceID, before position: Position?, limit: Int
    ) async throws(StoreError) -> [AuditRecord]

    /// What was erased, or is being erased, in the order of ids, after one of them; at most `limit`.
    func erasures(after id: Int64?, limit: Int) async throws(StoreError) -> [ErasureRecord]

    /// Returns the journal rows at some positions, in the order of these. Positions without a row are left out.
    func rows(at positions: [Position]) async throws(StoreError) -> [JournalRecord]

    /// An instance by its row number; nil when there is none.
    func instance(_ id: InstanceID) async throws(StoreError) -> InstanceRecord?

    /// The next instances of a selection, in the order of their marks. Each instance is met once, whatever becomes of
    /// its status meanwhile. Reads a bounded number of rows, so it may give few, or none, and not be at the end.
    func selection(_ query: SelectionQuery, in namespace: NamespaceID) async throws(StoreError) -> SelectionSlice

    /// A run over many instances; nil when there is none.
    func bulkRun(_ key: BulkKey) async throws(StoreError) -> BulkRecord?

    /// Runs in the order of their keys, after one of them; at most `limit`.
    func bulkRuns(after key: BulkKey?, limit: Int) async throws(StoreError) -> [BulkRecord]

    /// The instances that a run names, in their order, without so many first ones; at least one where there is one
    /// left.
    func bulkNames(of key: BulkKey, from number: Int64) async throws(StoreError) -> [InstanceName]

    /// What compares all that it holds; nil for a store that cannot do it.
    var audit: (any StoreAudit)? { get }
}

extension StoreReader {
    /// A journal row; nil when there is none.
    package func row(at position: Position) async throws(StoreError) -> JournalRecord? {
        try await rows(at: [position]).first
    }
}
