import GRDB

extension SQLiteReading {
    package func inspectCopies(after place: CopyPlace) async throws(StoreError) -> InspectedCopies {
        try await readers.slice { database, budget in
            var reading = CopyInspection()
            switch place {
            case .snapshot(let instance, let seq): try reading.snapshots(after: (instance, seq), database, &budget)
            case .timer(let key): try reading.timers(after: key, database, &budget)
            case .key(let count): try reading.keys(count, database, &budget)
            }
            return reading.slice
        }
    }
}

/// One slice of the tables that only repeat what others say, being read.
private struct CopyInspection {
    var slice = InspectedCopies()

    /// Snapshots that no journal row asks for. What the others hold is compared with the row.
    mutating func snapshots(
        after place: (instance: InstanceID, seq: Seq), _ database: Database, _ budget: inout SliceBudget
    ) throws {
        slice.next = .timer(nil)
        var select = try PreparedStatement(
            database,
            """
            SELECT s.instance_id, s.seq, s.position, s.seq = j.seq AND s.instance_id = j.instance_id,
                i.id IS NOT NULL
            FROM snapshot s LEFT JOIN journal j ON j.position = s.position LEFT JOIN instance i ON i.id = s.instance_id
            WHERE (s.instance_id, s.seq) > (?, ?) ORDER BY s.instance_id, s.seq
            """)
        select.bind(place.instance.rawValue)
        select.bind(place.seq.rawValue)
        try select.forEachRow { row in
            let (instance, seq) = (InstanceID(rawValue: row.integer()), Seq(rawValue: row.integer()))
            let position = Position(rawValue: row.integer())
            let hasRow = row.integer() == 1 && seq.rawValue % SnapshotRecord.interval == 0
            let hasInstance = row.integer() == 1
            slice.snapshots += 1
            if !hasInstance {
                slice.misfits.append(
                    Misfit(
                        seq: seq, position: position,
                        "a snapshot belongs to an instance \(instance.rawValue) that is not there"))
            } else if !hasRow {
                slice.misfits.append(
                    Misfit(instance: instance, seq: seq, position: position, "there is a snapshot without its row"))
            }
            if budget.spend() { return true }
            slice.next = .snapshot(instance, seq)
            return false
        }
    }

    /// Timers that no instance has armed.
    mutating func timers(after key: TimerKey?, _ database: Database, _ budget: inout SliceBudget) throws {
        slice.next = .key(KeyCount(keys: 0))
        var select = try PreparedStatement(
            database,
            """
            SELECT due_ms, position, ordinal, instance_id, event FROM timer
            WHERE (due_ms, position, ordinal) > (?, ?, ?) ORDER BY due_ms, position, ordinal
            """)
        select.bind(key?.due.rawValue ?? .min)
        select.bind(key?.position.rawValue ?? .min)
        select.bind(key?.ordinal ?? .min)
        try select.forEachRow { row in
            let timer = TimerRecord(row: &row)
            slice.timers += 1
            if let misfit = try TimerInspection.misfit(of: timer, database) { slice.misfits.append(misfit) }
            if budget.spend() { return true }
            slice.next = .timer(timer.key)
            return false
        }
    }

    /// Keys that no journal row was written with, and how many there are.
    mutating func keys(_ count: KeyCount, _ database: Database, _ budget: inout SliceBudget) throws {
        guard let ledger = try StoreRow.read(database)?.keys else { return }
        var count = count
        if count.begin == nil { count.begin = ledger }
        var select = try PreparedStatement(
            database,
            "SELECT key, scope, position FROM dedupe WHERE (key, scope) > (?, ?) ORDER BY key, scope")
        select.bind(count.last?.key ?? [])
        select.bind(count.last?.scope ?? .min)
        try select.forEachRow { row in
            let (key, scope) = (row.bytes(), row.integer())
            let position = Position(rawValue: row.integer())
            count.keys += 1
            slice.keys += 1
            if let misfit = try misfit(key, scope, position, ledger, database) { slice.misfits.append(misfit) }
            if budget.spend() { return true }
            count.last = (key, scope)
            slice.next = .key(count)
            return false
        }
        // What a daemon wrote meanwhile would be counted half.
        guard slice.next == nil, count.begin == ledger, count.keys != ledger.count else { return }
        slice.misfits.append(
            Misfit("the store says that it remembers \(ledger.count) keys, but there are \(count.keys)"))
    }

    private func misfit(
        _ key: [UInt8], _ scope: Int64, _ position: Position, _ ledger: KeyLedger, _ database: Database
    ) throws -> Misfit? {
        let row: JournalRecord?
        do {
            row = try StoreQueries.row(database, at: position)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // Told with the instance.
            return nil
        }
        let instance = scope > 0 ? InstanceID(rawValue: scope) : row?.instanceID
        guard position >= ledger.floor else {
            return Misfit(instance: instance, position: position, "a key is remembered that should be forgotten")
        }
        if let row, row.key == key, try StoreQueries.scope(database, of: row)?.rawValue == scope { return nil }
        return Misfit(
            instance: instance, position: position, "a key is remembered for a row that does not have it")
    }
}
