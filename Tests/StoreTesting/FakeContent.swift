package import WorkflowStore

/// The committed content of a `FakeStore`, and its future behaviour.
package struct FakeContent: Sendable {
    /// The numbers and the keys of one partition.
    struct Part {
        var numbers: StoreNumbers
        var keys: KeyLedger
        /// The places of the partition's rows in `journal`, in their order.
        var rows: [Int] = []
    }

    /// The progress of the deletion of an instance's rows.
    struct Purge {
        /// The position of the last remaining row.
        var head: Position
        var seq: Int64
        /// True if only the emptied first row remains, because its key is remembered.
        var waits = false
    }

    var parts: [PartitionID: Part] = [:]
    /// The machines in the order in which they were applied.
    package internal(set) var machines: [MachineRecord] = []
    package internal(set) var instances: [InstanceKey: InstanceRecord] = [:]
    var names: [InstanceID: InstanceKey] = [:]
    /// The rows of all partitions, in the order of their commits.
    package internal(set) var journal: [JournalRecord] = []
    /// The places of an instance's rows and of positions in `journal`.
    var rows: [InstanceID: [Int]] = [:]
    var places: [Position: Int] = [:]
    var snapshots: [InstanceID: [SnapshotRecord]] = [:]
    /// The timers, in no order.
    package internal(set) var timers: [TimerRecord] = []
    package internal(set) var effects: [Position: EffectRecord] = [:]
    /// The attempts by the ids of their effects, then by their numbers.
    package internal(set) var attempts: [Position: [Int64: AttemptRecord]] = [:]
    /// The queues by their names.
    package internal(set) var queues: [String: QueueRecord] = [:]
    package internal(set) var isHeld = false
    package internal(set) var settings: [MachineKey: MachineSetting] = [:]
    /// The audit rows in the order of their positions.
    package internal(set) var audits: [AuditRecord] = []
    /// The recorded changes in the order of their positions.
    package internal(set) var changes: [ChangeRecord] = []
    /// The deleted instances that have rows left.
    var purges: [InstanceID: Purge] = [:]
    /// The erasures by their ids.
    package internal(set) var erasures: [Int64: ErasureRecord] = [:]
    package internal(set) var runs: [BulkKey: BulkRecord] = [:]
    package internal(set) var runNames: [BulkKey: [InstanceName]] = [:]
    package internal(set) var keys: Set<KeyRecord> = []
    var positions: [RequestKey: [KeyScope: Position]] = [:]

    /// The number of attempted commits since `failures` was set.
    package internal(set) var tries = 0
    /// A function that returns the error of each attempt, counted from 1; `nil` lets it succeed.
    package var failures: @Sendable (_ attempt: Int, _ batch: StoreBatch) -> StoreError? = { _, _ in nil }
    package internal(set) var isClosed = false
    /// A function that returns the error of maintenance after each commit. The argument has the numbers of batches of
    /// all commits.
    package var maintenance: @Sendable (_ commits: [Int]) -> StoreError? = { _ in nil }
    /// The outcome that is found for a commit that failed with an unknown outcome.
    package var outcome = CommitOutcome.unknown
    /// The number of times that somebody asked if the store is still theirs.
    package internal(set) var confirmations = 0
    /// The error that answers this question; `nil` if the store is theirs.
    package var overtaken: StoreError?
    /// The number of batches of each commit.
    package internal(set) var commits: [Int] = []
    /// The number of batches that were applied while another was being committed.
    package internal(set) var views = 0
    /// The function that is called with `views` when such a batch has been applied.
    package var viewed: @Sendable (_ views: Int) -> Void = { _ in }
    /// The function that is called on the reader's thread for each combined read, with its number since
    /// `FakeStore.forgetTrips`.
    package var prefetched: @Sendable (_ number: Int) -> Void = { _ in }
    /// The number of combined reads that fail from now on.
    package var failingPrefetches = 0
    /// The number of lookups of the writing side that fail from now on.
    package var failingLookups = 0
    /// The number of next reads of timers that fail.
    package var failingTimerReads = 0
    /// The function that is called before the writer's thread looks for an instance.
    package var isSeeking: @Sendable (InstanceKey) -> Void = { _ in }
    /// The error of the next probe.
    package var probeFailure: StoreError?
    /// The number of key lookups beside a commit that fail from now on.
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

    /// Accepts a time as the present one.
    mutating func acceptClock(_ now: Timestamp, by actor: Actor?) -> AcceptedClock {
        for (partition, var part) in parts {
            part.keys = part.keys.accepting(ClockBegin(time: now, position: part.numbers.nextPosition))
            if partition == .first {
                let change = ChangeRecord(acceptingClock: now, by: actor, after: part.numbers)
                changes.append(change)
                part.numbers.nextPosition = change.position.next
            }
            part.numbers.last = now
            parts[partition] = part
        }
        let ahead = instances.values.filter { $0.status == .running && $0.updated > now }.sorted { $0.id < $1.id }
        return AcceptedClock(ahead: ahead.count, names: ahead.prefix(3).map(\.name))
    }
}
