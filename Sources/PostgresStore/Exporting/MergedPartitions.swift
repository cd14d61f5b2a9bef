import Statechart
import WorkflowStore

/// The numbers of a store's rows as those of one partition, in which a file can hold them.
///
/// The rows of several partitions get positions in this order: those whose keys are forgotten, then the others; each of
/// them partition by partition. So one floor tells which keys are remembered, and the rows of an instance keep their
/// order. Numbers that a restore has placed in the partitions are in one of them only, and stay beside each other.
/// Deletions and changes come behind all rows. With one partition every number stays.
struct MergedPartitions {
    /// The facts about the export as a whole.
    let store: ExportedStore
    /// The generations that the file has behind it.
    let restorations: [Restoration]
    /// True if runs are exported. The parts of a run in several partitions are no run in one.
    let hasRuns: Bool
    private let numbers: MergedNumbers?

    static func read(_ snapshot: Snapshot, _ store: AuditedStore) throws -> MergedPartitions {
        guard store.partitions.count > 1 else { return try MergedPartitions(alone: store) }
        guard store.partitions.enumerated().allSatisfy({ $1.partition.rawValue == Int64($0) }) else {
            throw PostgresFailure(.damaged, "the log does not have all partitions")
        }
        let edges = try PartitionEdge.read(snapshot, store)
        return try MergedPartitions(store, MergedNumbers(edges, placed: store.row.placed))
    }

    /// Exports a store with one partition as it is.
    private init(alone store: AuditedStore) throws {
        guard let row = store.partitions.first else { throw LogRow.missing(.first) }
        self.store = ExportedStore(
            identity: store.row.identity, clock: .real, numbers: row.numbers, keys: row.keys,
            purgeFloor: row.purgeFloor)
        restorations = store.row.restorations
        (hasRuns, numbers) = (true, nil)
    }

    private init(_ store: AuditedStore, _ numbers: MergedNumbers) throws {
        let rows = store.partitions
        let last = rows.map(\.numbers.last).max() ?? Timestamp(rawValue: 0)
        let forgotten = rows.map(\.keys.forgotten).max() ?? last
        // The order of several partitions is not that of time, so the times count from the end on.
        let begin = ClockBegin(time: max(last, forgotten), position: numbers.end)
        let generation = store.row.identity.generation
        guard let first = rows.first, Timestamp.range.contains(begin.time.rawValue), numbers.areInRange,
            generation < Int64(Int32.max) - 2
        else {
            throw PostgresFailure(.damaged, "the store has a number that is too large for a file")
        }
        // No row keeps its position, so every earlier generation parts at the first one. The last generation begins
        // behind all rows, as if it had brought the deletions.
        var restorations: [Int64: Restoration] = [:]
        for known in store.row.restorations {
            restorations[known.generation] = Restoration(
                generation: known.generation, parent: known.parent, next: Position(rawValue: 1),
                restored: known.restored)
        }
        for (step, next) in [(1, Position(rawValue: 1)), (2, numbers.behindRows)] as [(Int64, Position)] {
            restorations[generation + step] = Restoration(
                generation: generation + step, parent: generation + step - 1, next: next, restored: last)
        }
        self.restorations = restorations.values.sorted { $0.generation < $1.generation }
        self.store = ExportedStore(
            identity: StoreIdentity(uuid: store.row.identity.uuid, generation: generation + 2), clock: .real,
            numbers: StoreNumbers(
                nextPosition: numbers.end, nextInstance: numbers.nextInstance, nextMachine: first.numbers.nextMachine,
                last: begin.time),
            keys: KeyLedger(floor: numbers.floor, forgotten: forgotten, count: 0, begin: begin),
            purgeFloor: numbers.purgeFloor)
        (hasRuns, self.numbers) = (false, numbers)
    }

    /// Gives rows their numbers in the export.
    func take(_ rows: inout ExportedRows) throws(StoreError) {
        guard let numbers else { return }
        for place in rows.instances.indices { rows.instances[place] = try numbers.renumber(rows.instances[place]) }
        numbers.renumber(&rows)
        for place in rows.purges.indices {
            let purge = rows.purges[place]
            rows.purges[place].head = numbers.position(purge.head, of: purge.instanceID)
            rows.purges[place].audit = numbers.behind(purge.audit)
            rows.purges[place].instanceID = numbers.instance(purge.instanceID)
        }
        for place in rows.deletions.indices {
            rows.deletions[place].position = numbers.behind(rows.deletions[place].position)
            rows.deletions[place].instanceID = numbers.instance(rows.deletions[place].instanceID)
        }
        for place in rows.changes.indices {
            rows.changes[place].position = numbers.behind(rows.changes[place].position)
        }
    }
}
