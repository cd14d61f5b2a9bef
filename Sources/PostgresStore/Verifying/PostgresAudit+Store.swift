import Statechart
import WorkflowStore

extension PostgresAudit {
    func inspectStore() async throws(StoreError) -> StoreInspection {
        try await read { snapshot, store in
            var inspection = StoreInspection(
                numbers: store.partitions.map { store.found.raised($0) },
                inconsistencies: try StoreRowInspection(store: store).inconsistencies(snapshot),
                sums: try sums(snapshot, store))
            inspection.generation = store.row.identity.generation
            try operators(&inspection, snapshot)
            return inspection
        }
    }

    /// Returns the values that the rows of each partition must add up to. Returns none if the last deletion or the
    /// last change cannot be read; the checks of their tables report such a row.
    private func sums(_ snapshot: Snapshot, _ store: AuditedStore) throws -> [JournalSums] {
        do {
            return try store.partitions.map { row in
                func last<Row: TableRow>(_ statement: Statement) throws -> Row? {
                    try snapshot.first(statement) {
                        $0.add(row.partition.rawValues.lowerBound)
                        $0.add(row.partition.rawValues.upperBound)
                    }
                }
                return JournalSums(
                    last: row.numbers.last, end: row.numbers.nextPosition, isVirtual: false, keys: row.keys,
                    deleted: try last(AuditRecord.lastIn), changed: try last(ChangeRecord.lastIn),
                    isPlaced: store.row.placed.position > 0)
            }
        } catch let error as StoreError where error.code == .corrupt {
            return []
        }
    }

    /// Adds the runs, and the positions of the last deletion, the last change and the last erasures.
    private func operators(_ inspection: inout StoreInspection, _ snapshot: Snapshot) throws {
        let found = try snapshot.read(Request(BulkRecord.every)) { answer in
            try answer.all { row -> Result<BulkRecord, PostgresFailure> in
                do {
                    return .success(try BulkRecord(row: &row))
                } catch {
                    return .failure(PostgresFailure(error))
                }
            }
        }
        for run in found {
            switch run {
            case .success(let run): inspection.runs.append(run)
            case .failure(let failure):
                inspection.inconsistencies.append(Inconsistency("a run cannot be read: \(failure.message)"))
            }
        }
        let lasts = try snapshot.read(Request(Self.lasts)) { answer in
            try answer.first { row in
                try (0..<4).map { _ in try row.optionalInteger(in: .min ... .max).map(Position.init(rawValue:)) }
            }
        }
        guard let lasts, lasts.count == 4 else { return }
        // Proof: there are four, as the guard says.
        (inspection.lastDeletion, inspection.lastChange) = (lasts[0], lasts[1])
        (inspection.lastErasure, inspection.lastRenaming) = (lasts[2], lasts[3])
    }

    private static let lasts = Statement(
        name: "audit-lasts",
        sql: """
            SELECT (SELECT max(position) FROM audit), (SELECT max(position) FROM change),
                (SELECT max(id) FROM erasure WHERE id > 0),
                (SELECT max(id) FROM erasure WHERE id > 0 AND name IS NOT NULL)
            """)
}

extension PostgresAudit {
    func inspectMachines(after id: MachineID) async throws(StoreError) -> InspectedMachines {
        let limit = limits.costlyRows
        return try await read { snapshot, _ in
            var slice = InspectedMachines(machines: [])
            var wanted = max(id.rawValue, 0) + 1
            let request = Request(Self.machines) {
                $0.add(id.rawValue)
                $0.add(Int64(limit))
            }
            let count = try snapshot.read(request) { answer in
                try answer.all { row in
                    let number = try row.integer(in: .min ... .max)
                    slice.next = MachineID(rawValue: number)
                    // No version is ever deleted.
                    if number > wanted {
                        slice.inconsistencies.append(Inconsistency("machine \(wanted) is missing"))
                    }
                    wanted = number == .max ? number : max(number, 0) + 1
                    do {
                        let machine = try MachineRecord(row: &row)
                        let hasNamespace = try row.flag()
                        if !hasNamespace {
                            slice.inconsistencies.append(
                                Inconsistency("machine \(number) ('\(machine.name)') has no namespace"))
                        }
                        if try row.digest() != Digest(sealing: machine) { slice.unsealed.insert(machine.id) }
                        slice.machines.append(machine)
                    } catch {
                        slice.inconsistencies.append(
                            Inconsistency("machine \(number): \(PostgresFailure(error).message)"))
                    }
                }.count
            }
            if count < limit { slice.next = nil }
            return slice
        }
    }

    private static let machines = Statement(
        name: "audit-machines",
        sql: """
            SELECT id, \(MachineRecord.columns), namespace_id IN (SELECT n.id FROM namespace n), seal FROM machine
            WHERE id > $1::bigint ORDER BY machine.id LIMIT $2::bigint
            """)

    func inspectErasures(
        of instances: ClosedRange<Int64>, after id: Int64?
    ) async throws(StoreError) -> InspectedErasures {
        let limit = limits.sliceRows
        return try await read { snapshot, _ in
            var slice = InspectedErasures()
            let request = Request(Self.erasures) {
                for number in [id ?? .min, instances.lowerBound, instances.upperBound, Int64(limit)] { $0.add(number) }
            }
            let count = try snapshot.read(request) { answer in
                try answer.all { row in
                    let (id, instance) = (
                        try row.integer(in: .min ... .max), try row.integer(in: .min ... .max)
                    )
                    slice.next = id
                    do {
                        slice.erasures.append(try ErasureRecord(row: &row))
                    } catch {
                        slice.inconsistencies.append(
                            Inconsistency(
                                instance: InstanceID(rawValue: instance), position: Position(rawValue: id),
                                "an erasure cannot be read: \(PostgresFailure(error).message)"))
                    }
                }.count
            }
            if count < limit { slice.next = nil }
            return slice
        }
    }

    private static let erasures = Statement(
        name: "audit-erasures",
        sql: """
            SELECT id, instance_id, \(ErasureRecord.columns) FROM erasure
            WHERE id > $1::bigint AND instance_id BETWEEN $2::bigint AND $3::bigint ORDER BY erasure.id
            LIMIT $4::bigint
            """)

    /// PostgreSQL compares its indexes itself, with the extension `amcheck`.
    func inspectIndexes(after place: InspectionPlace) async throws(StoreError) -> InspectedIndexes {
        InspectedIndexes()
    }
}

extension AuditRecord {
    static let lastIn = columns.select(
        "last-deletion-in",
        "WHERE position BETWEEN $1::bigint AND $2::bigint ORDER BY position DESC LIMIT 1")
}

extension ChangeRecord {
    static let lastIn = columns.select(
        "last-change-in",
        "WHERE position BETWEEN $1::bigint AND $2::bigint ORDER BY position DESC LIMIT 1")
}

extension BulkRecord {
    static let every = columns.select("every-run", "ORDER BY namespace_id, name, partition")
}
