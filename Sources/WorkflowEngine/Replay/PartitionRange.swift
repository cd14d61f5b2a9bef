import WorkflowStore

/// What is gone through of one partition: numbers that were handed out, and in the first and the last also those that
/// belong to none.
struct PartitionRange {
    /// The lowest and the highest number of an instance.
    let lowerInstance: Int64
    let lastInstance: Int64
    /// The positions, the last one not included.
    let start: Int64
    let end: Int64
    /// Journal rows, about: positions that nobody has are among them.
    let rows: Int
    /// Instances, about.
    let instances: Int

    private let isLast: Bool

    /// Those of all partitions, in their order.
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

    /// Instances outside of it, which can have no row in it.
    var strays: [ClosedRange<Int64>] {
        var strays: [ClosedRange<Int64>] = []
        if lowerInstance > .min { strays.append(.min...(lowerInstance - 1)) }
        if lastInstance < .max { strays.append((lastInstance + 1)...(.max)) }
        return strays
    }

    /// Whether an instance is one of it.
    func holds(_ id: InstanceID) -> Bool { id.rawValue >= lowerInstance && (id.rawValue <= lastInstance || isLast) }
}
