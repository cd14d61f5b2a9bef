import GRDB
import WorkflowMigrations
import WorkflowStore

/// Writes the rows of another store into a new file, slice by slice. Effects are held in it.
struct ExportedFile {
    let file: StoreFile
    let limits: StoreLimits

    /// Writes a file that is not flushed and not verified. If `write` throws, the caller removes the file.
    ///
    /// - Parameter mayGoOn: Called after each slice with the size of the file, and about how large it will be.
    func write(_ source: any StoreExport, _ mayGoOn: (_ done: Int64, _ total: Int64) -> Bool) async throws {
        let store = try await source.exportedStore()
        try file.requireSpace(for: store.bytes, limits: limits)
        try FileCreation(
            file: file, migrations: Migrations.all, now: store.numbers.last, clock: store.clock
        ).run()
        let connection = try DatabaseQueue(path: file.path, configuration: configuration)
        do {
            try connection.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF") }
            try await write(source, store, on: connection, mayGoOn)
        } catch {
            // The file is removed, so a failure to close it does not matter.
            try? connection.close()
            throw error
        }
        try connection.close()
    }

    private func write(
        _ source: any StoreExport, _ store: ExportedStore, on connection: DatabaseQueue,
        _ mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws {
        var keys = ExportedKeys(store.keys)
        var count: Int64 = 0
        var next: InspectionPlace? = .start
        while let place = next {
            let rows = try await source.exportRows(after: place)
            next = rows.next
            let remembered = keys.take(rows)
            count += Int64(remembered.count)
            try connection.inTransaction(.immediate) { database in
                try Self.insert(rows, remembered, database)
                return .commit
            }
            let size = StoreFile.size(of: file.path) ?? 0
            guard mayGoOn(size, max(size, store.bytes)) else { throw CancellationError() }
        }
        try connection.inTransaction(.immediate) { [count] database in
            try database.run(
                """
                INSERT INTO tally (machine_id, status, state, n)
                SELECT machine_id, status, configuration, count(*) FROM instance WHERE status <> 'purging'
                GROUP BY machine_id, status, configuration
                """)
            try Self.write(store, keys: count, database)
            return .commit
        }
    }

    private static func insert(_ rows: ExportedRows, _ keys: [KeyRecord], _ database: Database) throws {
        try MachineRecord.insertSealed(rows.machines, database)
        try InstanceRecord.insert(rows.instances, database)
        try JournalRecord.insert(rows.journal, database)
        try KeyRecord.insert(keys, database)
        try SnapshotRecord.insert(rows.snapshots, database)
        try TimerRecord.insert(rows.timers, database)
        try EffectRecord.insert(rows.effects, database)
        try AttemptRecord.insert(rows.attempts, database)
        try QueueRecord.insert(rows.queues, database)
        try MachineSetting.insert(rows.settings, database)
        try ErasureRecord.insert(rows.erasures, database)
        try BulkRecord.insert(rows.runs, database)
        try RunNames.insert(rows.runNames, database)
        try PurgeRecord.insert(rows.purges, database)
        try AuditRecord.insert(rows.deletions, database)
        try ChangeRecord.insert(rows.changes, database)
        try Restoration.insert(rows.restorations, database)
    }

    private static func write(_ store: ExportedStore, keys: Int64, _ database: Database) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET uuid = ?, generation = ?, next_position = ?, next_instance = ?, next_machine = ?,
                last_ms = ?, clock_ms = ?, clock_position = ?, dedupe_floor = ?, dedupe_ms = ?, dedupe_count = ?,
                purge_floor = ?, held = 1
            WHERE id = 1
            """)
        update.bind(store.identity.uuid, store.identity.generation)
        update.bind(store.numbers.nextPosition, store.numbers.nextInstance, store.numbers.nextMachine)
        update.bind(store.numbers.last, store.keys.begin.time, store.keys.begin.position)
        update.bind(store.keys.floor, store.keys.forgotten, keys, store.purgeFloor)
        try update.run()
    }

    private var configuration: Configuration {
        var configuration = ConnectionSettings.ofCopy()
        configuration.label = "export"
        configuration.prepareDatabase { [limits] database in
            // Names and keys come in no order, and each page of their indexes is read again and again.
            try database.execute(sql: "PRAGMA cache_size = -\(limits.writerCacheKiB)")
        }
        return configuration
    }
}
