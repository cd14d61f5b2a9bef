package import WorkflowStore

/// What is committed in a `FakeStore`, and how it answers from now on.
package struct FakeContent: Sendable {
    /// What a partition hands out and remembers for itself.
    struct Part {
        var numbers: StoreNumbers
        var keys: KeyLedger
        /// Where its rows stand in `journal`, in their order.
        var rows: [Int] = []
    }

    /// How far the rows of an instance are deleted.
    struct Purge {
        /// Of the last row that is left.
        var head: Position
        var seq: Int64
        /// Whether that is its first, emptied, and its key is remembered.
        var waits = false
    }

    var parts: [PartitionID: Part] = [:]
    /// In the order in which they were applied.
    package internal(set) var machines: [MachineRecord] = []
    package internal(set) var instances: [InstanceKey: InstanceRecord] = [:]
    var names: [InstanceID: InstanceKey] = [:]
    /// Of all partitions, in the order in which they were committed.
    package internal(set) var journal: [JournalRecord] = []
    /// Where the rows of an instance stand in `journal`, and those of a position.
    var rows: [InstanceID: [Int]] = [:]
    var places: [Position: Int] = [:]
    var snapshots: [InstanceID: [SnapshotRecord]] = [:]
    /// In no order.
    package internal(set) var timers: [TimerRecord] = []
    package internal(set) var effects: [Position: EffectRecord] = [:]
    /// By the effects' ids, then by their numbers.
    package internal(set) var attempts: [Position: [Int64: AttemptRecord]] = [:]
    /// By their names.
    package internal(set) var queues: [String: QueueRecord] = [:]
    package internal(set) var isHeld = false
    package internal(set) var settings: [MachineKey: MachineSetting] = [:]
    /// In the order of their positions.
    package internal(set) var audits: [AuditRecord] = []
    /// The instances that are deleted and have rows left.
    var purges: [InstanceID: Purge] = [:]
    /// By their ids.
    package internal(set) var erasures: [Int64: ErasureRecord] = [:]
    package internal(set) var runs: [BulkKey: BulkRecord] = [:]
    var runNames: [BulkKey: [InstanceName]] = [:]
    package internal(set) var keys: Set<KeyRecord> = []
    var positions: [RequestKey: [KeyScope: Position]] = [:]

    /// Commits that were tried since `failures` was set.
    package internal(set) var tries = 0
    /// Says for each try, counted from 1, whether it fails.
    package var failures: @Sendable (_ attempt: Int, _ batch: StoreBatch) -> StoreError? = { _, _ in nil }
    package internal(set) var isClosed = false
    /// Says after each commit, given how many batches all of them had, whether looking after the store fails.
    package var maintenance: @Sendable (_ commits: [Int]) -> StoreError? = { _ in nil }
    /// What is found out about a commit that was made to fail with an unknown outcome.
    package var outcome = CommitOutcome.unknown
    /// How often somebody asked whether the store is still theirs.
    package internal(set) var confirmations = 0
    /// What is answered then; nil when it is.
    package var overtaken: StoreError?
    /// How many batches each commit had.
    package internal(set) var commits: [Int] = []
    /// Batches that were applied while another was being committed.
    package internal(set) var views = 0
    /// Called with `views` when one of them has been applied.
    package var viewed: @Sendable (_ views: Int) -> Void = { _ in }
    /// Called on the reader's thread with each number of rows read at once since `FakeStore.forgetTrips`.
    package var prefetched: @Sendable (_ number: Int) -> Void = { _ in }
    /// Attempts to read rows at once that fail from now on.
    package var failingPrefetches = 0
    /// Lookups of the writing side that fail from now on.
    package var failingLookups = 0
    /// Called before the writer's thread looks for an instance.
    package var isSeeking: @Sendable (InstanceKey) -> Void = { _ in }
    /// What the next probe throws.
    package var probeFailure: StoreError?
    /// Looks at keys beside a commit that fail from now on.
    package var failingLooks = 0

    init(partitions: Int) {
        for raw in 0..<Int64(partitions) {
            let partition = PartitionID(rawValue: raw)
            guard let position = Position(partition, number: 1), let instance = InstanceID(partition, number: 1)
            else { preconditionFailure("no store has so many partitions") }
            let time = Timestamp(rawValue: 0)
            parts[partition] = Part(
                numbers: StoreNumbers(
                    nextPosition: position, nextInstance: instance, nextMachine: MachineID(rawValue: 1), last: time),
                keys: KeyLedger(
                    floor: position, forgotten: time, count: 0, begin: ClockBegin(time: time, position: position)))
        }
    }

    var partitions: [PartitionID] { parts.keys.sorted() }

    /// The numbers of the first partition.
    package var numbers: StoreNumbers { part(.first).numbers }

    func part(_ partition: PartitionID) -> Part {
        guard let part = parts[partition] else { preconditionFailure("no partition \(partition.rawValue)") }
        return part
    }

    /// Takes a time as the present one.
    mutating func acceptClock(_ now: Timestamp) -> AcceptedClock {
        for (partition, var part) in parts {
            part.numbers.last = now
            part.keys = part.keys.accepting(ClockBegin(time: now, position: part.numbers.nextPosition))
            parts[partition] = part
        }
        let ahead = instances.values.filter { $0.status == .running && $0.updated > now }.sorted { $0.id < $1.id }
        return AcceptedClock(ahead: ahead.count, names: ahead.prefix(3).map(\.name))
    }
}
