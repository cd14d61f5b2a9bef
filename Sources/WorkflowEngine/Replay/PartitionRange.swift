import WorkflowStore

/// The instance ids and positions of one partition that are read. The first and the last partition also cover numbers
/// that belong to no partition.
struct PartitionRange {
    /// The lowest and the highest id of an instance.
    let lowerInstance: Int64
    let lastInstance: Int64
    /// The positions; `end` is not included.
    let start: Int64
    let end: Int64
    /// The approximate number of journal rows, which includes unused positions.
    let rows: Int
    /// The approximate number of instances.
    let instances: Int

    private let isLast: Bool

    /// Returns the ranges of all partitions, in their order.
    static func all(_ numbers: [StoreNumbers]) -> [PartitionRange] {
        let last = numbers.count - 1
        return numbers.enumerated().map { offset, numbers in
            PartitionRange(numbers, isFirst: offset == 0, isLast: offset == last)
        }
    }

    private init(_ numbers: StoreNumbers, isFirst: Bool, isLast: Bool) {
        let lowest = numbers.partition.rawValues.lowerBound
        lowerInstance = isFirst ? .min : lowest
        lastInstance = numbers.nextInstance.rawValue - 1
        start = isFirst ? .min : lowest
        end = numbers.nextPosition.rawValue
        rows = Int(numbers.nextPosition.number) - 1
        instances = Int(numbers.nextInstance.number) - 1
        self.isLast = isLast
    }

    /// The ids of instances outside the range, which can have no row in it.
    var strays: [ClosedRange<Int64>] {
        var strays: [ClosedRange<Int64>] = []
        if lowerInstance > .min { strays.append(.min...(lowerInstance - 1)) }
        if lastInstance < .max { strays.append((lastInstance + 1)...(.max)) }
        return strays
    }

    /// Returns true if an instance belongs to the range.
    func holds(_ id: InstanceID) -> Bool { id.rawValue >= lowerInstance && (id.rawValue <= lastInstance || isLast) }
}
