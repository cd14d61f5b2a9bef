import GRDB
import Statechart
package import WorkflowStore

extension SQLiteReading {
    package func inspectStore() async throws(StoreError) -> StoreInspection {
        try await readers.slice { database, _ in
            guard let row = try StoreRow.read(database) else { throw StoreRow.missing }
            let found = try StoreNumbers.found(in: database)
            let numbers = StoreNumbers(
                nextPosition: max(row.nextPosition, found.nextPosition),
                nextInstance: max(row.nextInstance, found.nextInstance),
                nextMachine: max(row.numbers.nextMachine, found.nextMachine), last: row.last)
            var inspection = StoreInspection(
                numbers: [numbers],
                inconsistencies: try StoreRowInspection(row: row, found: found).inconsistencies(database),
                sums: try JournalSums.told(by: row, database))
            inspection.generation = row.generation
            try OperatorInspection.look(at: &inspection, database)
            return inspection
        }
    }

    package func inspectErasures(
        of instances: ClosedRange<Int64>, after id: Int64?
    ) async throws(StoreError) -> InspectedErasures {
        try await readers.slice { database, budget in
            try ErasureInspection.slice(of: instances, after: id, &budget, database)
        }
    }

    package func inspectMachines(after id: MachineID) async throws(StoreError) -> InspectedMachines {
        try await readers.slice { database, budget in
            var slice = InspectedMachines(machines: [])
            var wanted = max(id.rawValue, 0) + 1
            var last = id
            try database.forEachRow(
                """
                SELECT \(MachineRecord.columns), namespace_id IN (SELECT id FROM namespace), seal FROM machine
                WHERE id > ? ORDER BY id
                """, id
            ) { row in
                // Proof: the least and the largest number are cared for where it is counted on.
                let id = MachineID(rawValue: row.integer(at: 0))
                // The check of the table's index reports the disorder. The walk cannot continue from here.
                guard id > last else { return false }
                last = id
                // No version is ever deleted.
                if id.rawValue > wanted { slice.inconsistencies.append(Inconsistency("machine \(wanted) is missing")) }
                wanted = max(id.rawValue, 0).advanced(by: id.rawValue == .max ? 0 : 1)
                do {
                    let machine = try MachineRecord(row: &row)
                    if row.integer() == 0 {
                        slice.inconsistencies.append(
                            Inconsistency("machine \(id.rawValue) ('\(machine.name)') has no namespace"))
                    }
                    if try row.digest() != Digest(sealing: machine) { slice.unsealed.insert(id) }
                    slice.machines.append(machine)
                } catch let failure as SQLiteFailure {
                    slice.inconsistencies.append(Inconsistency("machine \(id.rawValue): \(failure.message)"))
                }
                if budget.spend() { return true }
                slice.next = id
                return false
            }
            return slice
        }
    }
}

// MARK: Instances

extension SQLiteReading {
    package func inspectInstances(in ids: ClosedRange<Int64>) async throws(StoreError) -> InspectedInstances {
        let bytes = limits.pageBytes
        return try await readers.slice { database, budget in
            guard let store = try StoreRow.read(database) else { throw StoreRow.missing }
            let next = max(store.nextPosition, try StoreNumbers.found(in: database).nextPosition)
            var slice = InspectedInstances(instances: [], through: ids.upperBound, nextPosition: next)
            var bytesLeft = bytes
            var last: InstanceID?
            try database.forEachRow(
                """
                SELECT \(InstanceRecord.columns), namespace_id IN (SELECT id FROM namespace), parent IS NULL
                FROM instance WHERE id BETWEEN ? AND ? ORDER BY id
                """, ids.lowerBound, ids.upperBound
            ) { row in
                var instance = try InspectedInstance(row: &row)
                // The checks of the table's indexes report the disorder. The walk cannot continue from here.
                guard ids.contains(instance.record.id.rawValue), last.map({ instance.record.id > $0 }) ?? true else {
                    return false
                }
                last = instance.record.id
                if instance.record.state.armed != "[]" {
                    slice.timers += try TimerInspection.compare(&instance, database)
                    slice.effects += try EffectInspection.compare(&instance, database)
                }
                slice.instances.append(instance)
                bytesLeft -= instance.record.size
                if budget.spend(), bytesLeft > 0 { return true }
                slice.through = instance.record.id.rawValue
                return false
            }
            return slice
        }
    }
}

extension InspectedInstance {
    fileprivate init(row: inout StatementRow) throws {
        let places = InstanceRecord.places
        // Proof: these are told as they stand, and nothing counts with them.
        let (number, machine) = (row.integer(at: places.id), row.integer(at: places.machineID))
        // Proof: a namespace is compared, and nothing counts with it.
        let namespace = NamespaceID(rawValue: row.integer(at: places.namespace))
        // The code below reports a name that cannot be read.
        let key = InstanceKey(InstanceName(rawValue: (try? row.text(at: places.name)) ?? ""), in: namespace)
        do {
            let record = try InstanceRecord(row: &row)
            let (hasNamespace, hasNoParent) = (row.integer() == 1, row.integer() == 1)
            let inconsistency =
                !hasNamespace
                ? "its namespace is missing"
                : !hasNoParent
                    ? "it has a parent, which no wfd writes"
                    : record.status == .purging && !record.isWholePurge
                        ? "its status is 'purging', but it is not what a deletion leaves" : nil
            self.init(record: record, inconsistency: inconsistency)
        } catch let failure as SQLiteFailure {
            self.init(record: .unreadable(number, key, machine), inconsistency: failure.message)
        }
    }
}

extension InstanceRecord {
    fileprivate static func unreadable(_ id: Int64, _ key: InstanceKey, _ machine: Int64) -> InstanceRecord {
        var record = columns.blank
        (record.id, record.machineID) = (InstanceID(rawValue: id), MachineID(rawValue: machine))
        (record.namespace, record.name) = (key.namespace, key.name)
        return record
    }

    /// The approximate number of bytes that the record takes in memory.
    package var size: Int {
        512 + state.configuration.utf8.count + state.context.utf8.count + state.memory.utf8.count
            + state.armed.utf8.count + (state.output?.utf8.count ?? 0)
    }
}

extension PreparedStatement {
    /// Returns the one number that a statement without parameters selects.
    static func number(_ database: Database, _ sql: String) throws -> Int64 {
        var select = try PreparedStatement(database, sql)
        // Proof: callers compare it, or count with it after they have read each row of the table within its bounds.
        return try select.first { row in row.integer() } ?? 0
    }
}

extension JournalSums {
    /// Returns the values of the row in `store` that concern all rows together. Returns none if the last deletion
    /// or the last change cannot be read. The checks of their tables report such a row.
    fileprivate static func told(by row: StoreRow, _ database: Database) throws -> [JournalSums] {
        do {
            return [
                JournalSums(
                    last: row.last, end: row.nextPosition, isVirtual: row.clock == .virtual, keys: row.keys,
                    deleted: try AuditQueries.last(database), changed: try ChangeQueries.last(database))
            ]
        } catch let failure as SQLiteFailure where failure.isOurs {
            return []
        }
    }
}
