import Statechart
import WorkflowStore

/// The next numbers according to the tables.
struct FoundNumbers: Sendable {
    /// The next position and the next number of an instance, for each partition in order.
    private let next: [PartitionID: (position: Int64, instance: Int64)]
    let nextMachine: Int64

    static func read(_ snapshot: Snapshot, _ partitions: [PartitionID]) throws -> FoundNumbers {
        let ranges = partitions.map(\.rawValues)
        let request = Request(lasts) {
            $0.add(ArrayColumn(ranges.map(\.lowerBound)))
            $0.add(ArrayColumn(ranges.map(\.upperBound)))
        }
        return try snapshot.read([request, Request(machine)]) { answers in
            var next: [PartitionID: (position: Int64, instance: Int64)] = [:]
            // Each is at least the first number of its partition, and at most the last.
            let last = 0...Int64.max - 1
            _ = try answers.first?.all { row in
                let partition = try row.partitionID()
                next[partition] = (try row.integer(in: last) + 1, try row.integer(in: last) + 1)
            }
            let machine = try answers.last?.first { row in try row.integer(in: last) } ?? 0
            return FoundNumbers(next: next, nextMachine: machine + 1)
        }
    }

    /// Returns the next position and the next number of an instance in a partition.
    func next(_ row: LogRow) -> (position: Int64, instance: Int64) {
        next[row.partition] ?? (row.numbers.nextPosition.rawValue, row.numbers.nextInstance.rawValue)
    }

    /// Returns the numbers of a partition, raised above all numbers in the tables.
    func raised(_ row: LogRow) -> StoreNumbers {
        let next = next(row)
        let isFirst = row.partition == .first
        return StoreNumbers(
            nextPosition: max(row.numbers.nextPosition, Position(rawValue: next.position)),
            nextInstance: max(row.numbers.nextInstance, InstanceID(rawValue: next.instance)),
            nextMachine: isFirst
                ? max(row.numbers.nextMachine, MachineID(rawValue: nextMachine)) : row.numbers.nextMachine,
            last: row.numbers.last)
    }

    private static let lasts: Statement = {
        func last(_ tables: [(name: String, column: String)]) -> String {
            let selects = tables.map { name, column in
                "(SELECT max(\(column)) FROM \(name) WHERE \(column) BETWEEN low AND high)"
            }
            return "greatest(low, \(selects.joined(separator: ", ")))"
        }
        let positions = last([("journal", "position"), ("effect", "id"), ("audit", "position"), ("change", "position")])
        return Statement(
            name: "last-numbers",
            sql: """
                SELECT low >> 48, \(positions), \(last([("instance", "id")]))
                FROM unnest($1::bigint[], $2::bigint[]) u (low, high) ORDER BY 1
                """)
    }()

    private static let machine = Statement(name: "last-machine", sql: "SELECT coalesce(max(id), 0) FROM machine")
}

/// Compares the rows about the store and its partitions with the content of the other tables.
struct StoreRowInspection {
    let store: AuditedStore

    private var found: FoundNumbers { store.found }

    /// Returns the inconsistencies; empty if there are none.
    func inconsistencies(_ snapshot: Snapshot) throws -> [Inconsistency] {
        let facts = try snapshot.read(Request(Self.facts)) { answer in
            try answer.first { row in
                (deletion: try row.optionalInteger(in: .min ... .max), isNamed: try row.flag())
            }
        }
        var inconsistencies = store.partitions.flatMap { next($0, hasDeleted: facts?.deletion != nil) }
        for row in store.partitions {
            let floor = row.purgeFloor.number
            guard floor != 1, floor > facts?.deletion ?? 1 else { continue }
            let why = facts?.deletion.map { "the last deletion was at \($0)" } ?? "nothing was deleted"
            inconsistencies.append(
                Inconsistency(
                    "partition \(row.partition.rawValue) says that rows before position \(floor) are gone, but \(why)"))
        }
        let machines = store.partitions.first?.numbers.nextMachine.rawValue ?? found.nextMachine
        if machines != found.nextMachine {
            inconsistencies.append(
                Inconsistency(
                    "the store's next machine number is \(machines), but the last one there is \(found.nextMachine - 1)"
                ))
        }
        if facts?.isNamed != true {
            inconsistencies.append(Inconsistency("there is not the one namespace 'default'"))
        }
        return inconsistencies + lineage()
    }

    /// Returns the inconsistencies of a partition's next numbers. Every assigned number has a row. Only the rows of
    /// effects and of deleted instances go away, and those that a restore has placed in other partitions.
    private func next(_ row: LogRow, hasDeleted: Bool) -> [Inconsistency] {
        var inconsistencies: [Inconsistency] = []
        let first = row.partition.rawValues.lowerBound + 1
        let range = StoreNumbers.range.upperBound
        func compare(_ what: String, _ next: Int64, _ found: Int64, placed: Int64, slack: Int64) {
            let least = max(found, first + placed)
            if next < found {
                inconsistencies.append(
                    Inconsistency(
                        "the next \(what) of partition \(row.partition.rawValue) is \(next), but there is \(found - 1)")
                )
            } else if next - least > slack {
                inconsistencies.append(
                    Inconsistency(
                        "the next \(what) of partition \(row.partition.rawValue) is \(next), but the last one there is "
                            + "\(least - 1)"))
            }
        }
        let found = found.next(row)
        let placed = store.row.placed
        compare(
            "position", row.numbers.nextPosition.rawValue, found.position, placed: placed.position,
            slack: Int64(StepLimits.requests))
        compare(
            "instance number", row.numbers.nextInstance.rawValue, found.instance, placed: placed.instance,
            slack: hasDeleted ? range : 0)
        return inconsistencies
    }

    /// Returns the inconsistencies of the lineage. Every generation but the first began with a restore.
    private func lineage() -> [Inconsistency] {
        let (row, generation) = (store.row, store.row.identity.generation)
        var inconsistencies: [Inconsistency] = []
        if generation > 1, row.restorations.last?.generation != generation {
            inconsistencies.append(
                Inconsistency("the store's generation \(generation) is not that of its last restore"))
        }
        let known = Set(row.restorations.map(\.generation))
        for restoration in row.restorations {
            let isKnown = restoration.parent == 1 || known.contains(restoration.parent)
            guard restoration.generation <= generation, isKnown, restoration.parent < restoration.generation else {
                inconsistencies.append(
                    Inconsistency("the restore of generation \(restoration.generation) holds what no wfd writes"))
                continue
            }
        }
        return inconsistencies
    }

    private static let facts = Statement(
        name: "audit-facts",
        sql: """
            SELECT (SELECT max(position & ((1::bigint << 48) - 1)) FROM audit),
                (SELECT array_agg(id || ' ' || name) = ARRAY['1 default'] FROM namespace)
            """)
}
