/// A durable place for machines, instances and their history.
///
/// What every store does is required. What only some do is a property that is nil where it is missing.
package protocol WorkflowStore: StoreReader {
    /// How the store's generations come from each other.
    var lineage: Lineage { get }

    /// The last row before a position in its partition; nil when there is none.
    func row(before position: Position) async throws(StoreError) -> JournalRecord?

    /// The next rows of a partition's journal that are of instances of a namespace. Rows that are no more, and those of
    /// instances that are being purged, are passed over. Reads a bounded number of rows, so it may give none and still
    /// not be the last.
    func journal(_ query: JournalQuery, in namespace: NamespaceID) async throws(StoreError) -> JournalSlice

    /// The same rows, one after the other, each lent to a function that adds it to a result.
    func journal<Result: Sendable>(
        _ query: JournalQuery, in namespace: NamespaceID, into result: Result,
        _ add: @Sendable (inout Result, LentListedRow) -> Void
    ) async throws(StoreError) -> (result: Result, reach: JournalReach)

    /// The seq of an instance's last row before a position; nil when it began later. `head` and `headSeq` are a row of
    /// the instance.
    func seq(
        of instance: InstanceID, head: Position, headSeq: Seq, before position: Position
    ) async throws(StoreError) -> Seq?

    /// What it takes of a disk; nil for a store that is no file, and where nobody can tell.
    func usage() async throws(StoreError) -> StoreUsage?

    /// Keeps when somebody last took care of it; nil for a store that keeps nothing beside its data.
    var upkeep: (any StoreUpkeep)? { get }

    /// The reason why effects were held when the store was opened, and since when; nil when they were not. Its writer's
    /// `isHeld` is false when only the place of the store holds them: that hold is not stored, and ends with the
    /// process.
    var holdReason: String? { get }

    /// Making backups of it; nil for a store that is backed up by other means. Its writer's `backups` is nil too then.
    var backups: (any StoreBackups)? { get }

    /// Gives the writing side away: to one owner, once.
    ///
    /// - Throws: `locked` when somebody has it already.
    func writer() throws(StoreError) -> sending any StoreWriter
}

/// What applying a command reads. One thread uses it at a time.
package protocol StoreLookup: AnyObject {
    /// What `StoreReader.machine(_:version:)` gives.
    func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord?

    /// What `WorkflowStore.machine(_:)` gives.
    func machine(_ id: MachineID) throws(StoreError) -> MachineRecord?

    /// An instance with its current state.
    func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord?

    /// Those of some instances that are there, in the order of `ids`; read at once.
    func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord]

    /// What names an instance; nil when there is none, as when it is deleted.
    func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey?

    /// Where a key was used; nil when it is not remembered.
    func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position?

    /// The deletion that was asked for with a key; nil when there was none.
    func audit(key: Digest) throws(StoreError) -> AuditRecord?

    /// The latest time that a forgotten key of a partition says itself (UUID version 7).
    func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp

    /// An effect by its id; nil when there is none, as when it has ended.
    func effect(_ id: Position) throws(StoreError) -> EffectRecord?

    /// An attempt of an effect that is kept; nil when there is none. It outlives the effect.
    func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord?

    /// A journal row; nil when there is none.
    func row(at position: Position) throws(StoreError) -> JournalRecord?

    /// The first erasure of an instance that has begun and has something left to do; nil when there is none.
    func openErasure(of instance: InstanceID) throws(StoreError) -> ErasureRecord?

    /// The effects of a queue that are ready and due by a time, by priority, then by when they are due, then by id; at
    /// most `limit`. Reads little more than it gives, however many wait.
    ///
    /// - Parameter isLeftOut: Of which effects nothing is to be read; called with ids in that order.
    func readyEffects(
        queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws(StoreError) -> [EffectRecord]

    /// When the first of a queue's ready effects is due that is due after a time, whatever its priority; nil when there
    /// is none. Nil for the first of all.
    func nextReady(queue: String, after time: Timestamp?) throws(StoreError) -> Timestamp?

    /// Leased effects of all queues after an id, in the order of their ids; at most `limit`. Each call passes the
    /// queues and all that is leased, but nothing that waits.
    func leasedEffects(after id: Position?, limit: Int) throws(StoreError) -> [EffectRecord]

    /// Held effects of all queues after an id, in the order of their ids, as `leasedEffects` gives what is leased.
    func heldEffects(after id: Position?, limit: Int) throws(StoreError) -> [EffectRecord]

    /// What somebody has set for queues, in the order of their names' bytes, after one of them; at most `limit`.
    func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord]

    /// What somebody has set for machines, in the order of their namespaces and of their names' bytes, after one of
    /// them; at most `limit`.
    func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting]

    /// True when the store itself says that no effect starts until somebody releases them.
    func isHeld() throws(StoreError) -> Bool

    /// The queues that have an effect in any state, in the order of their bytes, after one of them; at most `limit`.
    /// Reads one row for each.
    func queues(after queue: String?, limit: Int) throws(StoreError) -> [String]

    /// A run over many instances; nil when there is none.
    func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord?

    /// Reading at once what will be looked up; nil for a store whose lookups take no round trip.
    var prefetch: (any StorePrefetch)? { get }
}

/// Reads what is committed beside a commit that is under way. Not thread-safe, but independent of the writing side.
package protocol StoreView: StoreLookup {
    /// Ends the view: what is read between two calls is one committed state, as of the first read, and what was read at
    /// once goes with it. Call it within milliseconds, because the write-ahead log cannot start over before.
    func release()

    /// Whether something could not be read since the last `release`.
    var hasFailed: Bool { get }
}

/// The writing side of a store. Not thread-safe: one thread uses it at a time.
///
/// Its own lookups are as of the last commit.
package protocol StoreWriter: StoreLookup {
    /// The partitions that it writes, in their order: at least the first.
    var partitions: [PartitionID] { get }

    /// The allocator's numbers of one of its partitions as of the last commit.
    func numbers(in partition: PartitionID) -> StoreNumbers

    /// What is left of deleted instances of a partition as of the last commit.
    func backlog(in partition: PartitionID) -> PurgeBacklog

    /// For reading while `commit` or `maintain` runs on another thread.
    var view: any StoreView { get }

    /// The timers of a partition that are due next, in their order; at most `limit`.
    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord]

    /// Writes batches in one transaction: all of it is flushed to disk when this returns, and nothing of it is there
    /// when it throws anything but `outcomeUnknown`. Each batch is of one of its partitions, and made on top of the one
    /// before of the same partition.
    func commit(_ batches: [StoreBatch]) throws(StoreError)

    /// Finds out what became of the batches of a `commit` that threw `outcomeUnknown`; to be called at most once,
    /// before anything else is asked for. Where it says `committed`, its numbers are those after the batches.
    func resolve() -> CommitOutcome

    /// Throws `fenced` when the store has another owner by now. Called before commands are answered that wrote nothing:
    /// refusals, trials and repeated answers must come from a state that was not overtaken.
    func confirm() throws(StoreError)

    /// Writes and flushes what is there already, as `commit` does with something new: whether the store takes it.
    func probe() throws(StoreError)

    /// Takes a time as the present one although something was written at a later one: `last` of all its
    /// numbers is it afterwards. Durable when it returns; rows and timers stay as they are. Reads the whole table of
    /// instances.
    func acceptClock(_ now: Timestamp) throws(StoreError) -> AcceptedClock

    /// The store's own work between batches, such as moving a log into a file. Throws when the daemon must stop
    /// writing.
    func maintain() throws(StoreError)

    /// Whether what was erased may still stand in a log beside the tables. `maintain` takes it away as soon as nobody
    /// reads there.
    var holdsErased: Bool { get }

    /// The reader that keeps the store's log from starting over; nil when there is none. `maintain` looks again now and
    /// then.
    var logHold: LogHold? { get }

    /// Copying for backups; nil where the store makes none.
    var backups: (any BackupCopying)? { get }

    /// Ends reading and writing, and closes the store in order. Call it once.
    func close() throws(StoreError)
}

extension StoreWriter {
    /// Writes one batch in a transaction of its own.
    package func commit(_ batch: StoreBatch) throws(StoreError) { try commit([batch]) }
}

/// What became of a commit that did not say so itself.
package enum CommitOutcome: Sendable {
    /// All of it is on disk.
    case committed
    /// Nothing of it is there, and nothing of it will be.
    case notCommitted
    /// Nobody can tell before a restart: nothing more may be written.
    case unknown
}

/// What stays ahead of a clock that was accepted.
package struct AcceptedClock: Sendable, Equatable {
    /// Running instances whose last row is of a later time.
    package var ahead: Int
    /// The names of the first few.
    package var names: [InstanceName]

    package init(ahead: Int, names: [InstanceName]) {
        self.ahead = ahead
        self.names = names
    }
}

/// Names a store.
package struct StoreIdentity: Sendable, Equatable {
    package let uuid: UniqueID
    /// Raised by a restore.
    package let generation: Int64

    package init(uuid: UniqueID, generation: Int64) {
        self.uuid = uuid
        self.generation = generation
    }
}

/// The numbers that the writer hands out next in one partition, and the highest time of the clock at which it has
/// written there. Machines are numbered for the whole store, with its first partition.
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

    /// Whose they are.
    package var partition: PartitionID { nextPosition.partition }
}

extension StoreNumbers {
    /// What a partition takes positions and ids from.
    package static let range: ClosedRange<Int64> = 1...(1 << 48 - 1)

    /// Whether a store that has them can be opened again.
    package var arePlausible: Bool {
        PartitionID.range.contains(partition.rawValue) && nextInstance.partition == partition
            && Self.range.contains(nextPosition.number) && Self.range.contains(nextInstance.number)
            && Self.range.contains(nextMachine.rawValue) && Timestamp.range.contains(last.rawValue)
    }
}

/// What is written wholly or not at all: what happened in one partition.
package struct StoreBatch: Sendable {
    package var machines: [MachineRecord] = []
    /// Instances that begin in this batch, in their last state.
    package var newInstances: [InstanceRecord] = []
    /// Instances from before that this batch changed, each once, in their last state.
    package var changedInstances: [InstanceRecord] = []
    /// In the order of positions.
    package var journal: [JournalRecord] = []
    package var snapshots: [SnapshotRecord] = []
    /// Timers that run after this batch and did not before.
    package var armedTimers: [TimerRecord] = []
    /// Timers that ran before this batch and do not after it.
    package var endedTimers: [TimerKey] = []
    /// Effects that begin in this batch and have not ended in it. The ids are positions that nothing has yet, below the
    /// batch's next one.
    package var newEffects: [EffectRecord] = []
    /// Effects from before that this batch changed, each once, whole.
    package var changedEffects: [EffectRecord] = []
    /// Effects from before that are no more after this batch.
    package var endedEffects: [Position] = []
    /// Attempts that failed or came late. Of one that is there already what is written last stays; of an effect the
    /// first 10 and the last 90 do.
    package var attempts: [AttemptRecord] = []
    /// By how much the batch changes what is counted of instances.
    package var tally: [TallyKey: Int64] = [:]
    /// What somebody has set for queues, each once. Of one with the standard settings nothing is kept.
    package var changedQueues: [QueueRecord] = []
    /// What somebody has set for machines, each once and whole. Of one that says nothing none is kept.
    package var changedSettings: [MachineSetting] = []
    /// Whether no effect starts from now on; nil to leave that as it is.
    package var isHeld: Bool?
    /// What it erases.
    package var erasure = BatchErasure()
    /// Runs that it begins or changes, each once, whole.
    package var changedRuns: [BulkRecord] = []
    /// The instances of runs that begin in this batch and name them; or of earlier ones, as many, where one has another
    /// name now.
    package var runNames: [BulkKey: [InstanceName]] = [:]
    /// Runs that are forgotten, with their names.
    package var forgottenRuns: [BulkKey] = []
    /// Instances that it suspends, for those who are told of commits: their rows say it too.
    package var suspended: Set<InstanceID> = []
    /// Instances that are deleted with this batch. Each is among the new or the changed ones, as `purging` makes it.
    package var purged: [AuditRecord] = []
    /// How much of what was deleted before is taken away with this batch; nil for nothing.
    package var sweep: SweepOrder?
    /// Keys that callers used.
    package var keys: [KeyRecord] = []
    /// Which keys are forgotten; nil to forget none.
    package var retention: KeyRetention?
    /// The numbers after this batch.
    package var numbers: StoreNumbers
    /// The numbers that it was made on top of; a store that has others refuses it. Nil when nobody else writes.
    package var base: StoreNumbers?

    package init(numbers: StoreNumbers) {
        self.numbers = numbers
    }

    package var isEmpty: Bool {
        machines.isEmpty && newInstances.isEmpty && changedInstances.isEmpty && journal.isEmpty && snapshots.isEmpty
            && armedTimers.isEmpty && endedTimers.isEmpty && keys.isEmpty && newEffects.isEmpty
            && changedEffects.isEmpty && endedEffects.isEmpty && attempts.isEmpty && changedQueues.isEmpty
            && changedSettings.isEmpty && isHeld == nil && purged.isEmpty && sweep == nil && erasure.isEmpty
            && changedRuns.isEmpty && forgottenRuns.isEmpty
    }
}

/// A running timer as it is listed.
package struct ListedTimer: Sendable, Equatable {
    package let timer: TimerRecord
    /// The name of its instance.
    package let instance: InstanceName

    package init(timer: TimerRecord, instance: InstanceName) {
        self.timer = timer
        self.instance = instance
    }
}

/// Which rows of one instance's history to read.
package struct HistoryQuery: Sendable, Equatable {
    package var instance: InstanceID
    /// The position of a row of the instance; no later row is shown.
    package var head: Position
    /// The seq of the row at `head`.
    package var headSeq: Seq
    /// The seqs wanted, both ends included; may reach past `headSeq`.
    package var seqs: ClosedRange<Int64>
    /// Newest first.
    package var isReversed: Bool

    package init(instance: InstanceID, head: Position, headSeq: Seq, seqs: ClosedRange<Int64>, isReversed: Bool) {
        self.instance = instance
        self.head = head
        self.headSeq = headSeq
        self.seqs = seqs
        self.isReversed = isReversed
    }
}
