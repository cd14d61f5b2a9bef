import Statechart
import WorkflowStore

/// The places of a file's rows in the partitions of a store.
///
/// A number keeps its value within the partition of its instance, so the order of an instance's rows and the places of
/// its effects behind them stay. What belongs to no living instance is in the first partition.
struct RowPlacement {
    private let placement: Placement
    /// The partitions of the instances: one byte each, in pages by their numbers, which may have gaps.
    private var pages: [Int64: [UInt8]] = [:]
    private static let pageSize: Int64 = 256

    init(partitions: Int) {
        placement = Placement(partitions: partitions)
    }

    /// True if rows change.
    private var isSpread: Bool { !placement.hasOne }

    func partition(of instance: InstanceID) -> PartitionID {
        guard instance.rawValue >= 0, let page = pages[instance.rawValue / Self.pageSize] else { return .first }
        // Proof: a page has a place for each remainder.
        return PartitionID(rawValue: Int64(page[Int(instance.rawValue % Self.pageSize)]))
    }

    /// Places an instance; later rows of the instance follow.
    mutating func place(_ record: InstanceRecord) throws(StoreError) -> InstanceRecord {
        guard isSpread, record.status != .purging else { return record }
        let number = record.id.number
        guard number >= 0 else {
            throw StoreError(.damaged, "Cannot restore: an instance in the file cannot be read; verify the file")
        }
        let partition = placement.partition(of: InstanceKey(record.name, in: record.namespace))
        // Proof: a page has a place for each remainder, and a store has at most 64 partitions.
        pages[number / Self.pageSize, default: Array(repeating: 0, count: Int(Self.pageSize))][
            Int(number % Self.pageSize)] = UInt8(truncatingIfNeeded: partition.rawValue)
        return try renumber(record)
    }

    /// Places the rows of all tables but the instances.
    func place(_ rows: inout ExportedRows) {
        if isSpread { renumber(&rows) }
    }
}

extension RowPlacement: RowNumbers {
    func instance(_ id: InstanceID) -> InstanceID { placed(id, partition(of: id)) }

    func position(_ position: Position, of instance: InstanceID) -> Position {
        placed(position, partition(of: instance))
    }

    private func placed<Number: PartitionedNumber>(_ number: Number, _ partition: PartitionID) -> Number {
        partition == .first ? number : Number(partition, number: number.number) ?? number
    }
}
