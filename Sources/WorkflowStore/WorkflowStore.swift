/// A durable store of machines, instances and their history.
///
/// Every store has the required members. An ability that only some stores have is a property that is `nil` in the
/// others.
package protocol WorkflowStore: StoreReader {
    /// The descent of the store's generations.
    var lineage: Lineage { get }

    /// Returns the last row before a position in its partition, or `nil` if there is none.
    func row(before position: Position) async throws(StoreError) -> JournalRecord?

    /// Returns the next rows of a partition's journal that belong to instances of a namespace.
    ///
    /// Skips deleted rows and the rows of instances that are being purged. Reads a bounded number of rows, so a slice
    /// may be empty and still not be the last.
    func journal(_ query: JournalQuery, in namespace: NamespaceID) async throws(StoreError) -> JournalSlice

    /// Reads the rows of `journal(_:in:)` and lends each in turn to a function, which adds the row to a result.
    func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) async throws(StoreError) -> (result: Result, reach: JournalReach)

    /// Returns the seq of an instance's last row before a position, or `nil` if the instance began later. `head` and
    /// `headSeq` identify a row of the instance.
    func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) async throws(StoreError) -> Seq?

    /// Returns the disk space that the store uses, or `nil` if the store is not a file or the space is unknown.
    func usage() async throws(StoreError) -> StoreUsage?

    /// Stores the times of the last backup and verification; `nil` for a store that keeps nothing beside its data.
    var upkeep: (any StoreUpkeep)? { get }

    /// The reason and the begin of the hold that was in force when the store was opened; `nil` if effects were not
    /// held. If only the store's place causes the hold, the writer's `isHeld` is false. Such a hold is not stored and
    /// ends with the process.
    var holdReason: String? { get }

    /// Completes and serves backups; `nil` for a store that is backed up by other means. The writer's `backups` is then
    /// `nil` too, and also if these backups copy by themselves.
    var backups: (any StoreBackups)? { get }

    /// Calls a function with lookups that see one committed state, and with the numbers of a partition in that state.
    /// The function runs on a thread that reads, and keeps the log from restarting: it must end soon.
    func look<Result: Sendable>(
        in partition: PartitionID, _ body: @Sendable (any StoreLookup, StoreNumbers) -> Result
    ) async throws(StoreError) -> Result

    /// Returns the writing side of partitions; only one owner gets a partition's, once.
    ///
    /// - Throws: `locked` if the writing side of one of them already has an owner.
    func writer(of partitions: [PartitionID]) throws(StoreError) -> sending any StoreWriter
}

extension WorkflowStore {
    /// Returns values of one committed state.
    package func look<Value: Sendable>(
        _ body: @Sendable (any StoreLookup) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await look(in: .first) { lookup, _ in Result { () throws(StoreError) in try body(lookup) } }.get()
    }

    /// Returns the writing side of all partitions.
    package func writer() throws(StoreError) -> sending any StoreWriter { try writer(of: partitions) }
}

/// The lookups that applying a command needs. One thread uses them at a time.
package protocol StoreLookup: AnyObject {
    /// Returns the same machine version as `StoreReader.machine(_:version:)`.
    func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord?

    /// Returns the same machine version as `StoreReader.machine(_:)`.
    func machine(_ id: MachineID) throws(StoreError) -> MachineRecord?

    /// Returns an instance with its current state, or `nil` if there is none.
    func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord?

    /// Returns the instances that exist among `ids`, in the order of `ids`, with one read.
    func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord]

    /// Returns the key of an instance, or `nil` if there is no such instance, for example after its deletion.
    func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey?

    /// Returns the position at which a key was used, or `nil` if the store does not remember the key.
    func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position?

    /// Returns the deletion that was requested with a key, or `nil` if there was none.
    func audit(key: Digest) throws(StoreError) -> AuditRecord?

    /// Returns the highest number of a recorded change of tokens, or `nil` if there is none.
    func lastChangeNumber() throws(StoreError) -> Int64?

    /// Returns the latest time that is embedded in a forgotten key of a partition (UUID version 7).
    func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp

    /// Returns an effect by its id, or `nil` if there is none, for example after its end.
    func effect(_ id: Position) throws(StoreError) -> EffectRecord?

    /// Returns a stored attempt of an effect, or `nil` if there is none. The attempt outlives the effect.
    func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord?

    /// Returns a journal row, or `nil` if there is none.
    func row(at position: Position) throws(StoreError) -> JournalRecord?

    /// Returns the first unfinished erasure of an instance, or `nil` if there is none.
    func openErasure(of instance: InstanceID) throws(StoreError) -> ErasureRecord?

    /// Returns a partition's ready effects of a queue that are due by a time, ordered by priority, due time and id; at
    /// most `limit`. Reads few rows beyond the returned ones, however many effects wait.
    ///
    /// - Parameter isLeftOut: Returns true for an effect that must not be read; called with ids in the order above.
    func readyEffects(
        in partition: PartitionID, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws(StoreError) -> [EffectRecord]

    /// Returns the due time of a partition's first ready effect of a queue that is due after `time`, whatever its
    /// priority. Returns `nil` if there is none. If `time` is `nil`, all ready effects count.
    func nextReady(in partition: PartitionID, queue: String, after time: Timestamp?) throws(StoreError) -> Timestamp?

    /// Returns a partition's leased effects of all queues after an id, in the order of their ids; at most `limit`. Each
    /// call scans the queues and all leased effects, but no waiting effects.
    func leasedEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord]

    /// Returns a partition's held effects of all queues after an id, in the order of their ids. Costs as much as
    /// `leasedEffects`.
    func heldEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord]

    /// Returns the queue settings after a queue name, in the byte order of names; at most `limit`.
    func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord]

    /// Returns the machine settings after a key, ordered by namespace and by the bytes of the name; at most `limit`.
    func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting]

    /// Returns true if the store itself records that no effect starts until somebody releases the effects.
    func isHeld() throws(StoreError) -> Bool

    /// Returns the queues that have an effect of a partition in any state, in byte order, after `queue`; at most
    /// `limit`. Reads one row per queue.
    func queues(in partition: PartitionID, after queue: String?, limit: Int) throws(StoreError) -> [String]

    /// Returns a bulk run, or `nil` if there is none.
    func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord?

    /// Reads many rows ahead of their lookups; `nil` for a store whose lookups take no round trip.
    var prefetch: (any StorePrefetch)? { get }
}

/// Reads committed data while a commit is under way. Not thread-safe, but independent of the writing side.
package protocol StoreView: StoreLookup {
    /// Ends the view. All reads between two calls of `release` see one committed state, as of the first read.
    /// Prefetched rows are dropped too. Call `release` within milliseconds, because the write-ahead log cannot restart
    /// before.
    func release()

    /// True if a read has failed since the last `release`.
    var hasFailed: Bool { get }
}

/// The writing side of a store. Not thread-safe: one thread uses it at a time.
///
/// The writer's own lookups see the state of the last commit.
package protocol StoreWriter: StoreLookup {
    /// The partitions that the writer writes, in order; at least the first partition.
    var partitions: [PartitionID] { get }

    /// Returns the allocator's numbers of a partition as of the last commit.
    func numbers(in partition: PartitionID) -> StoreNumbers

    /// Returns the remains of a partition's deleted instances as of the last commit.
    func backlog(in partition: PartitionID) -> PurgeBacklog

    /// Reads while `commit` or `maintain` runs on another thread.
    var view: any StoreView { get }

    /// Returns the timers of a partition that are due next, in order; at most `limit`.
    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord]

    /// Writes batches in one transaction. Everything is flushed to disk when `commit` returns. After any error but
    /// `outcomeUnknown`, nothing is written. Each batch belongs to one of the writer's partitions and is built on the
    /// previous batch of the same partition.
    func commit(_ batches: [StoreBatch]) throws(StoreError)

    /// Finds out the outcome of a `commit` that threw `outcomeUnknown`. Call `resolve` at most once, before any other
    /// call. After `committed`, the writer's numbers are those after the batches.
    func resolve() -> CommitOutcome

    /// Throws `fenced` if the store has another owner by now. The engine calls `confirm` before it answers commands
    /// that wrote nothing. Refusals and repeated answers must come from a state that no other owner has
    /// overtaken.
    func confirm() throws(StoreError)

    /// Writes and flushes existing data, as `commit` does with new data, to find out if the store accepts writes.
    func probe() throws(StoreError)

    /// Accepts `now` as the present time although the store has written at a later time. Afterwards `last` of all its
    /// numbers is `now`. The change is durable on return, and recorded with its actor; rows and timers stay unchanged.
    /// Reads the whole table of instances.
    func acceptClock(_ now: Timestamp, by actor: Actor?) throws(StoreError) -> AcceptedClock

    /// Does the store's own work between batches, such as a checkpoint of the log. Throws if the daemon must stop
    /// writing.
    func maintain() throws(StoreError)

    /// True if erased data may still be in a log beside the tables. `maintain` removes the data as soon as no reader
    /// needs the log.
    var holdsErased: Bool { get }

    /// The reader that keeps the store's log from restarting; `nil` if there is none. `maintain` refreshes the value
    /// from time to time.
    var logHold: LogHold? { get }

    /// Copies the store for backups; `nil` for a store that makes none.
    var backups: (any BackupCopying)? { get }

    /// Ends reading and writing. The last writer closes the store in order. Call `close` once.
    func close() throws(StoreError)
}

extension StoreWriter {
    /// Writes one batch in a transaction of its own.
    package func commit(_ batch: StoreBatch) throws(StoreError) { try commit([batch]) }
}

/// The outcome of a commit that reported none itself.
package enum CommitOutcome: Sendable {
    /// Everything is on disk.
    case committed
    /// Nothing is on disk, and nothing will be.
    case notCommitted
    /// The outcome is unknown until a restart; nothing more may be written.
    case unknown
}

/// The instances that stay ahead of an accepted clock.
package struct AcceptedClock: Sendable, Equatable {
    /// The number of running instances whose last row has a later time.
    package var ahead: Int
    /// The names of the first few of these instances.
    package var names: [InstanceName]

    package init(ahead: Int, names: [InstanceName]) {
        self.ahead = ahead
        self.names = names
    }
}

/// The identity of a store.
package struct StoreIdentity: Sendable, Equatable {
    package let uuid: UniqueID
    /// A counter that each restore increments.
    package let generation: Int64

    package init(uuid: UniqueID, generation: Int64) {
        self.uuid = uuid
        self.generation = generation
    }
}

/// The next numbers of one partition, and the highest clock time at which the writer has written there. Machines are
/// numbered for the whole store, in its first partition.
package struct StoreNumbers: Sendable, Equatable {
    package var nextPosition: Position
    package var nextInstance: InstanceID
    package var nextMachine: MachineID
    package var last: Timestamp

    package init(nextPosition: Position, nextInstance: InstanceID, nextMachine: MachineID, last: Timestamp) {
        self.nextPosition = nextPosition
        self.nextInstance = nextInstance
        self.nextMachine = nextMachine
        self.last = last
    }

    /// The partition of these numbers.
    package var partition: PartitionID { nextPosition.partition }
}

extension StoreNumbers {
    /// The range of positions and ids in a partition.
    package static let range: ClosedRange<Int64> = 1...(1 << 48 - 1)

    /// True if a store with these numbers can be opened again.
    package var arePlausible: Bool {
        PartitionID.range.contains(partition.rawValue) && nextInstance.partition == partition
            && Self.range.contains(nextPosition.number) && Self.range.contains(nextInstance.number)
            && Self.range.contains(nextMachine.rawValue) && Timestamp.range.contains(last.rawValue)
    }
}

/// Changes in one partition that the store writes completely or not at all.
package struct StoreBatch: Sendable {
    package var machines: [MachineRecord] = []
    /// The instances that begin in this batch, in their last state.
    package var newInstances: [InstanceRecord] = []
    /// The earlier instances that this batch changes, each once, in their last state.
    package var changedInstances: [InstanceRecord] = []
    /// Journal rows in the order of their positions.
    package var journal: [JournalRecord] = []
    package var snapshots: [SnapshotRecord] = []
    /// The timers that run after this batch and did not run before.
    package var armedTimers: [TimerRecord] = []
    /// The timers that ran before this batch and do not run after it.
    package var endedTimers: [TimerKey] = []
    /// The effects that begin in this batch and do not end in it. Their ids are unused positions below the batch's next
    /// position.
    package var newEffects: [EffectRecord] = []
    /// The earlier effects that this batch changes, each once and complete.
    package var changedEffects: [EffectRecord] = []
    /// The earlier effects that end in this batch.
    package var endedEffects: [Position] = []
    /// Attempts that failed or came late. A repeated attempt replaces the stored one. Of each effect, the store keeps
    /// the first 10 attempts and the last 90.
    package var attempts: [AttemptRecord] = []
    /// The changes of the instance counts.
    package var tally: [TallyKey: Int64] = [:]
    /// Changed queue settings, each queue once. The store keeps no row for standard settings.
    package var changedQueues: [QueueRecord] = []
    /// Changed machine settings, each machine once and complete. The store keeps no row for standard settings.
    package var changedSettings: [MachineSetting] = []
    /// True holds all effects from now on, and false releases them; `nil` changes nothing.
    package var isHeld: Bool?
    /// The erasures of this batch.
    package var erasure = BatchErasure()
    /// The bulk runs that begin or change in this batch, each once and complete.
    package var changedRuns: [BulkRecord] = []
    /// The instance names of bulk runs that begin in this batch and name their instances. For an earlier run, the same
    /// number of names, after one of its instances got another name.
    package var runNames: [BulkKey: [InstanceName]] = [:]
    /// The bulk runs that the store forgets, together with their names.
    package var forgottenRuns: [BulkKey] = []
    /// The instances that this batch suspends, for observers of commits. Their rows record the suspension too.
    package var suspended: Set<InstanceID> = []
    /// The instances that this batch deletes. Each is also a new or changed instance, as `purging` makes it.
    package var purged: [AuditRecord] = []
    /// The records of changes that belong to no instance's history.
    package var changes: [ChangeRecord] = []
    /// The amount of earlier deleted data that this batch removes; `nil` for none.
    package var sweep: SweepOrder?
    /// The keys that callers used.
    package var keys: [KeyRecord] = []
    /// The rule by which keys are forgotten; `nil` to forget none.
    package var retention: KeyRetention?
    /// The numbers after this batch.
    package var numbers: StoreNumbers
    /// The numbers that the batch was built on; a store with other numbers rejects the batch. `nil` if there is no
    /// other writer.
    package var base: StoreNumbers?

    package init(numbers: StoreNumbers) {
        self.numbers = numbers
    }

    package var isEmpty: Bool {
        machines.isEmpty && newInstances.isEmpty && changedInstances.isEmpty && journal.isEmpty && snapshots.isEmpty
            && armedTimers.isEmpty && endedTimers.isEmpty && keys.isEmpty && newEffects.isEmpty
            && changedEffects.isEmpty && endedEffects.isEmpty && attempts.isEmpty && changedQueues.isEmpty
            && changedSettings.isEmpty && isHeld == nil && purged.isEmpty && changes.isEmpty && sweep == nil
            && erasure.isEmpty && changedRuns.isEmpty && forgottenRuns.isEmpty
    }
}

/// A running timer as an element of a list.
package struct ListedTimer: Sendable, Equatable {
    package let timer: TimerRecord
    /// The name of the timer's instance.
    package let instance: InstanceName

    package init(timer: TimerRecord, instance: InstanceName) {
        self.timer = timer
        self.instance = instance
    }
}

/// A selection of rows from one instance's history.
package struct HistoryQuery: Sendable, Equatable {
    package var instance: InstanceID
    /// The position of a row of the instance; no later row is shown.
    package var head: Position
    /// The seq of the row at `head`.
    package var headSeq: Seq
    /// The selected seqs, both ends included; the range may extend past `headSeq`.
    package var seqs: ClosedRange<Int64>
    /// True: newest rows first.
    package var isReversed: Bool

    package init(instance: InstanceID, head: Position, headSeq: Seq, seqs: ClosedRange<Int64>, isReversed: Bool) {
        self.instance = instance
        self.head = head
        self.headSeq = headSeq
        self.seqs = seqs
        self.isReversed = isReversed
    }
}
