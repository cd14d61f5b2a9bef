/// The reading side of a durable store of machines, instances and their history.
///
/// Any thread may read at any time; each call sees one committed state.
package protocol StoreReader: Sendable {
    /// The identity of the store and its generation, for cursors.
    var identity: StoreIdentity { get }

    /// The partitions in order; at least the first partition.
    var partitions: [PartitionID] { get }

    /// Returns the named version of a machine, or the highest version if `version` is `nil`; `nil` if there is none.
    func machine(_ key: MachineKey, version: MachineVersion?) async throws(StoreError) -> MachineRecord?

    /// Returns a machine version by its row number, or `nil` if there is none.
    func machine(_ id: MachineID) async throws(StoreError) -> MachineRecord?

    /// Returns the latest version of each machine of a namespace, in the byte order of names, after `name`; at most
    /// `limit`.
    func machines(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineRecord]

    /// Returns the names of a namespace's machines for suggestions, the most recently applied first; at most `limit`.
    func machineNames(in namespace: NamespaceID, limit: Int) async throws(StoreError) -> [MachineName]

    /// Returns the settings of a machine, or `nil` for the defaults.
    func machineSetting(of key: MachineKey) async throws(StoreError) -> MachineSetting?

    /// Returns the settings of a namespace's machines, in the byte order of names, after `name`; at most `limit`.
    func machineSettings(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineSetting]

    /// Returns an instance with its current state, or `nil` if there is none.
    func instance(_ key: InstanceKey) async throws(StoreError) -> InstanceRecord?

    /// Returns instance names of the same namespace that are near a name in byte order, for suggestions; at most
    /// `limit`.
    func instanceNames(near key: InstanceKey, limit: Int) async throws(StoreError) -> [InstanceName]

    /// Returns a page of a namespace's instances. Reads a bounded number of rows, so a page may be short and still have
    /// a next one.
    func instances(_ query: InstanceQuery, in namespace: NamespaceID) async throws(StoreError) -> InstancePage

    /// Counts a namespace's instances by version, status and configuration. The counts are ordered by the version's row
    /// number, then by the bytes of status and configuration. No count is 0.
    func tally(_ query: TallyQuery, in namespace: NamespaceID) async throws(StoreError) -> [TallyRecord]

    /// Returns the longest stay of a running instance in each configuration of each machine version of a namespace. The
    /// order is undefined, and at most `bound` pairs of version and configuration are returned. Reads the whole table
    /// of instances, in slices.
    func oldestRunning(in namespace: NamespaceID, atMost bound: Int) async throws(StoreError) -> [OldestInState]

    /// Returns a page of an instance's history, in seq order or reversed. `head` and `headSeq` are the instance's when
    /// the first page was read. Later rows are not shown, so backward paging is stable. Returns at most the first 1,000
    /// rows of the range.
    func history(_ query: HistoryQuery) async throws(StoreError) -> [JournalRecord]

    /// Returns the last snapshot of an instance at or before a seq, or `nil` if there is none that early.
    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) async throws(StoreError) -> SnapshotRecord?

    /// Continues searches for the times at which instances entered states. Reads a bounded number of rows, so some
    /// searches may not be over yet.
    func continued(_ searches: [StaySearch]) async throws(StoreError) -> [StaySearch]

    /// Returns the running timers of a namespace that are due next, after `key`, with the names of their instances; at
    /// most `limit`.
    func timers(
        in namespace: NamespaceID, after key: TimerKey?, limit: Int
    ) async throws(StoreError) -> [ListedTimer]

    /// Returns the effects that exist among these ids, in the order of ids.
    func effects(_ ids: [Position]) async throws(StoreError) -> [EffectRecord]

    /// Returns a page of the effects of a namespace's instances, in the order of their ids. Reads a bounded number of
    /// rows, so a page may be short or empty and still have a next one.
    func effects(_ query: EffectQuery, in namespace: NamespaceID) async throws(StoreError) -> EffectPage

    /// Returns the ids of an instance's calls (effects whose result nobody awaits), oldest first. The search goes
    /// through the instance's rows from `head` back.
    func calls(behind head: Position) async throws(StoreError) -> [Position]

    /// Returns the stored attempts of an effect in order, also after the effect's end. Returns none if the effect
    /// belongs to another instance.
    func attempts(of effect: Position, instance: InstanceID) async throws(StoreError) -> [AttemptRecord]

    /// Returns a page of the stored attempts of an instance's effects, including ended effects.
    ///
    /// The page starts with the effects of `row`, then goes back through the instance's rows. The attempts of each row
    /// are in order. A page ends after a complete row, when it has `limit` attempts or has read a bounded number of
    /// rows. So a page may be longer than `limit`, or short and still have a next one.
    func attempts(behindRowsFrom row: Position, limit: Int) async throws(StoreError) -> AttemptPage

    /// Returns the queues that have an effect or settings, in the byte order of names, with the counts of their
    /// effects; at most `limit`.
    func queues(_ query: QueueQuery) async throws(StoreError) -> [QueueSummary]

    /// Returns a page of a namespace's deletions and changes, latest first. Reads a bounded number of rows, so a page
    /// may be short or empty and still have a next one.
    func audits(_ query: AuditQuery, in namespace: NamespaceID) async throws(StoreError) -> AuditPage

    /// Returns finished and running erasures after an id, in the order of ids; at most `limit`.
    func erasures(after id: Int64?, limit: Int) async throws(StoreError) -> [ErasureRecord]

    /// Returns the journal rows at the given positions, in their order. Positions without a row are left out.
    func rows(at positions: [Position]) async throws(StoreError) -> [JournalRecord]

    /// Returns an instance by its row number, or `nil` if there is none.
    func instance(_ id: InstanceID) async throws(StoreError) -> InstanceRecord?

    /// Returns the next instances of a selection, in the order of their marks. Each instance appears once, even if its
    /// status changes meanwhile. Reads a bounded number of rows, so a slice may be short or empty and still not be the
    /// last.
    func selection(_ query: SelectionQuery, in namespace: NamespaceID) async throws(StoreError) -> SelectionSlice

    /// Returns a bulk run, or `nil` if there is none.
    func bulkRun(_ key: BulkKey) async throws(StoreError) -> BulkRecord?

    /// Returns the bulk runs after a key, in the order of keys; at most `limit`.
    func bulkRuns(after key: BulkKey?, limit: Int) async throws(StoreError) -> [BulkRecord]

    /// Returns the instances that a bulk run names, in order, without the first `number` ones. Returns at least one
    /// name if any is left.
    func bulkNames(of key: BulkKey, from number: Int64) async throws(StoreError) -> [InstanceName]

    /// Compares all data of the store; `nil` for a store that cannot do so.
    var audit: (any StoreAudit)? { get }
}

extension StoreReader {
    /// Returns a journal row, or `nil` if there is none.
    package func row(at position: Position) async throws(StoreError) -> JournalRecord? {
        try await rows(at: [position]).first
    }
}
