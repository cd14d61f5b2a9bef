import Statechart
import WorkflowStore

/// A table that repeats data of others, and its inspection row by row in the order of its key.
struct CopyTable: Sendable {
    let name: String
    /// The rows in their order.
    let rows: KeyedTable
    /// Inspects a row, which begins behind the key, and returns its inconsistency.
    let look: @Sendable (inout AnswerRow, inout CopyInspection) throws -> Inconsistency?
    /// Inspects the counts after the last row.
    let end: @Sendable (inout CopyInspection) -> Void

    /// - Parameters:
    ///   - key: The columns of the order, which are unique together.
    ///   - columns: The selected columns behind the key.
    ///   - source: The table as `t`, and joins.
    init(
        _ name: String, key: KeyValuePairs<String, KeyedTable.KeyType>, columns: String, from source: String,
        end: @escaping @Sendable (inout CopyInspection) -> Void = { _ in },
        look: @escaping @Sendable (inout AnswerRow, inout CopyInspection) throws -> Inconsistency?
    ) {
        (self.name, self.look, self.end) = (name, look, end)
        rows = KeyedTable("copies-\(name)", key: key, columns: columns, from: source)
    }

    /// The tables in the order of their inspection.
    static let all = [
        snapshot, timer, effect, attempt, key, setting, erasure, run, runNames, queue, instance, purge, audit, change,
        tally, pendingTally,
    ]
}

/// The inspection of the tables so far.
struct CopyInspection: Sendable {
    let store: AuditedStore
    var slice = InspectedCopies()
    /// The keys of each partition.
    var keys: [PartitionID: Int64] = [:]
    /// The instances in their states, less those that the tally counts.
    var tally = HashedSum()
    /// The deleted instances, less those with rows that are left.
    var purges = HashedSum()
    /// The ids of instances that are there or were deleted.
    var numbers = NumberSum()
    /// The UUIDs of missing instances that have an erasure.
    var erased: [Int64: UniqueID] = [:]
    /// The last deletion so far.
    var lastDeletion: (position: Position, at: Timestamp)?
    /// The last change so far, and the last number of a change.
    var lastChange: (position: Position, at: Timestamp, number: Int64?)?
    /// False if some rows could not be read.
    var isWhole = true

    /// The deleted instances with an erasure that are remembered at most.
    static let mostErased = 100_000

    /// True if a row of a time may follow an earlier one. An accepted clock starts anew in each partition.
    func follows(_ at: Timestamp, _ before: (position: Position, at: Timestamp)) -> Bool {
        guard before.at > at else { return true }
        return store.partition(before.position.partition).map { before.position < $0.keys.begin.position } ?? false
    }
}

/// A sum over equal things, which is 0 if as many were added as subtracted.
struct HashedSum: Sendable {
    private var sum: UInt64 = 0

    mutating func add(_ thing: some Hashable, times count: Int64 = 1) {
        sum &+= UInt64(bitPattern: Int64(thing.hashValue)) &* UInt64(bitPattern: count)
    }

    var isZero: Bool { sum == 0 }
}

/// The count and the sum of numbers, which tell whether numbers from 1 on are all there.
struct NumberSum: Sendable {
    private var placed = Part()
    private var parts: [PartitionID: Part] = [:]

    private struct Part {
        var count: Int64 = 0
        var sum: Int64 = 0

        mutating func add(_ number: Int64) {
            count &+= 1
            sum &+= number
        }

        func has(_ numbers: Range<Int64>) -> Bool {
            // Half of the product of two numbers below 2^48, one of which is even.
            func triangle(_ last: Int64) -> Int64 {
                last % 2 == 0 ? (last / 2) &* (last &+ 1) : last &* ((last &+ 1) / 2)
            }
            return count == Int64(numbers.count)
                && sum == triangle(numbers.upperBound - 1) &- triangle(numbers.lowerBound - 1)
        }
    }

    mutating func add(_ id: InstanceID, _ store: AuditedStore) {
        if id.number <= store.row.placed.instance {
            placed.add(id.number)
        } else {
            parts[id.partition, default: Part()].add(id.number)
        }
    }

    /// Returns true if every number is there, of those that a restore has placed and of those of each partition.
    func isWhole(_ store: AuditedStore) -> Bool {
        let first = store.row.placed.instance + 1
        return placed.has(1..<first)
            && store.partitions.allSatisfy { row in
                let next = max(first, row.numbers.nextInstance.number)
                return (parts[row.partition] ?? Part()).has(first..<next)
            }
    }
}
