import Statechart
import WorkflowStore

/// The numbers of the partitions after a restore, collected from the rows.
struct RestoredPartitions {
    private let store: ExportedStore
    private let partitions: [PartitionID]
    private var latest: [PartitionID: Timestamp] = [:]
    private var keys: [PartitionID: Int64] = [:]
    private var remembered: ExportedKeys

    init(_ store: ExportedStore, partitions: [PartitionID]) {
        self.store = store
        self.partitions = partitions
        remembered = ExportedKeys(store.keys)
    }

    /// The last numbers that the restore spreads over several partitions; 0 for one partition.
    var placed: (position: Int64, instance: Int64) {
        if partitions.count == 1 { return (0, 0) }
        return (store.numbers.nextPosition.number - 1, store.numbers.nextInstance.number - 1)
    }

    /// Takes placed rows, and returns the keys that the store remembers for them.
    mutating func take(_ rows: ExportedRows) -> [KeyRecord] {
        for row in rows.journal { note(row.real ?? row.at, at: row.position) }
        for row in rows.deletions { note(row.at, at: row.position) }
        for row in rows.changes { note(row.at, at: row.position) }
        let found = remembered.take(rows)
        for key in found { keys[key.position.partition, default: 0] += 1 }
        return found
    }

    private mutating func note(_ time: Timestamp, at position: Position) {
        guard position.number >= store.keys.begin.position.number else { return }
        latest[position.partition] = max(latest[position.partition] ?? time, time)
    }

    /// Returns the last row of each partition's log, for the end of the restore.
    func logRows(on rows: [PartitionID: LogRow]) throws(StoreError) -> [LogRow] {
        var next: [LogRow] = []
        for partition in partitions {
            func placed<Number: PartitionedNumber>(_ number: Number) throws(StoreError) -> Number {
                guard let placed = Number(partition, number: number.number) else {
                    throw StoreError(.damaged, "Cannot restore: the file has a number that is too large")
                }
                return placed
            }
            guard var row = rows[partition] else { throw LogRow.missing(partition) }
            let begin = store.keys.begin
            let last = partitions.count == 1 ? store.numbers.last : max(latest[partition] ?? begin.time, begin.time)
            row.numbers = StoreNumbers(
                nextPosition: try placed(store.numbers.nextPosition),
                nextInstance: try placed(store.numbers.nextInstance),
                nextMachine: partition == .first ? store.numbers.nextMachine : row.numbers.nextMachine, last: last)
            // A key that was forgotten in one partition may come again in another, so all know the latest of them.
            row.keys = KeyLedger(
                floor: try placed(store.keys.floor), forgotten: store.keys.forgotten, count: keys[partition] ?? 0,
                begin: ClockBegin(time: begin.time, position: try placed(begin.position)))
            row.purgeFloor = try placed(store.purgeFloor)
            next.append(row)
        }
        return next
    }
}
