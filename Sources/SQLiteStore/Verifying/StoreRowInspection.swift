import GRDB
import Statechart
import WorkflowStore

/// Compares the row in `store`, and the small tables beside it, with the content of the other tables.
struct StoreRowInspection {
    let row: StoreRow
    /// The next numbers according to the tables; their times are not read.
    let found: StoreNumbers

    /// Returns the inconsistencies; empty if there are none.
    func inconsistencies(_ database: Database) throws -> [Inconsistency] {
        let hasDeleted = try AuditQueries.lastPosition(database) != nil
        var inconsistencies = nextInconsistencies(hasDeleted: hasDeleted)
        if let inconsistency = try purgeInconsistency(database) { inconsistencies.append(inconsistency) }
        do {
            _ = try PlaceQueries.read(database)
        } catch let failure as SQLiteFailure where failure.isOurs {
            inconsistencies.append(Inconsistency("the row of 'place': \(failure.message)"))
        }
        let namespaces = try String.fetchAll(database, sql: "SELECT id || ' ' || name FROM namespace ORDER BY id")
        if namespaces != ["1 default"] {
            inconsistencies.append(Inconsistency("there is not the one namespace 'default'"))
        }
        return inconsistencies + (try lineageInconsistencies(database))
    }

    /// Returns the inconsistency of the purge floor. A missing row stood before the deletion that removed it.
    private func purgeInconsistency(_ database: Database) throws -> Inconsistency? {
        let floor = row.purgeFloor.rawValue
        let deletion = try AuditQueries.lastPosition(database)
        guard floor != 1, floor > deletion?.rawValue ?? 1 else { return nil }
        let why = deletion.map { "the last deletion was at \($0.rawValue)" } ?? "nothing was deleted"
        return Inconsistency("the store says that rows before position \(floor) are gone, but \(why)")
    }

    /// Returns the inconsistencies of the next numbers. Every assigned number has a row. Only the rows of effects and
    /// of deleted instances go away: ended calls of the last macrostep leave positions after it. Deletions and recorded
    /// changes have positions of their own.
    private func nextInconsistencies(hasDeleted: Bool) -> [Inconsistency] {
        var inconsistencies: [Inconsistency] = []
        func compare(
            _ what: String, _ next: Int64, _ found: Int64, slack: Int64 = 0, _ low: Inconsistency
        ) {
            if next < found {
                inconsistencies.append(low)
            } else if next > found + slack {
                inconsistencies.append(
                    Inconsistency("the store's next \(what) is \(next), but the last one there is \(found - 1)"))
            }
        }
        let position = (next: row.nextPosition.rawValue, found: found.nextPosition.rawValue)
        compare(
            "position", position.next, position.found, slack: Int64(StepLimits.requests),
            Inconsistency(
                position: Position(rawValue: position.found - 1),
                "the store's next position \(position.next) is not above it"))
        let instance = (next: row.nextInstance.rawValue, found: found.nextInstance.rawValue)
        compare(
            "instance number", instance.next, instance.found, slack: hasDeleted ? StoreNumbers.range.upperBound : 0,
            Inconsistency(
                instance: InstanceID(rawValue: instance.found - 1),
                "the store's next instance number \(instance.next) is not above its own"))
        let machine = (next: row.numbers.nextMachine.rawValue, found: found.nextMachine.rawValue)
        compare(
            "machine number", machine.next, machine.found,
            Inconsistency(
                "the store's next machine number \(machine.next) is not above the last one, \(machine.found - 1)"))
        return inconsistencies
    }

    /// Returns the inconsistencies of the lineage. Every generation but the first began with a restore, with the rows
    /// that its parent had at that time.
    private func lineageInconsistencies(_ database: Database) throws -> [Inconsistency] {
        let restorations: [Restoration]
        do {
            restorations = try Lineage.read(database, generation: row.generation).restorations
        } catch let failure as SQLiteFailure where failure.isOurs {
            return [Inconsistency(failure.message)]
        }
        var inconsistencies: [Inconsistency] = []
        if row.generation > 1, restorations.last?.generation != row.generation {
            inconsistencies.append(
                Inconsistency("the store's generation \(row.generation) is not that of its last restore"))
        }
        let begins = Dictionary(restorations.map { ($0.generation, $0.next) }, uniquingKeysWith: { first, _ in first })
        var end = row.nextPosition
        var generation = row.generation
        while let restoration = restorations.last(where: { $0.generation == generation }) {
            if restoration.next > end {
                inconsistencies.append(
                    Inconsistency(
                        "generation \(generation) begins at position \(restoration.next.rawValue), behind its end"))
            }
            end = min(end, restoration.next)
            // A parent is older than its child, so the loop ends.
            generation = restoration.parent
        }
        for restoration in restorations {
            let isKnown = restoration.parent == 1 || begins[restoration.parent] != nil
            guard restoration.generation <= row.generation, restoration.parent >= 1, isKnown else {
                inconsistencies.append(
                    Inconsistency("the restore of generation \(restoration.generation) holds what no wfd writes"))
                continue
            }
        }
        return inconsistencies
    }
}

extension StoreNumbers {
    /// Returns the next numbers according to the tables; does not look for the time.
    static func found(in database: Database) throws -> StoreNumbers {
        func next(_ column: String, _ table: String) throws -> Int64 {
            try PreparedStatement.number(database, "SELECT coalesce(max(\(column)), 0) FROM \(table)").addingOne
        }
        var position = try next("position", "journal")
        // An effect has a position of its own.
        if try Table.effect.isThere(in: database) { position = max(position, try next("id", "effect")) }
        if try Table.audit.isThere(in: database) { position = max(position, try next("position", "audit")) }
        if try Table.change.isThere(in: database) { position = max(position, try next("position", "change")) }
        return StoreNumbers(
            nextPosition: Position(rawValue: position),
            nextInstance: InstanceID(rawValue: try next("id", "instance")),
            nextMachine: MachineID(rawValue: try next("id", "machine")), last: Timestamp(rawValue: 0))
    }
}

extension Int64 {
    /// The next number; the largest number stays the same.
    fileprivate var addingOne: Int64 { self == .max ? self : self + 1 }
}
