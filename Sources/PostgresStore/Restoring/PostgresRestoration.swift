import Statechart
package import WorkflowStore

/// Writes all rows of another store into an empty store, slice by slice.
///
/// A mark in the table `store` stands from the first slice to the last. While it stands, no wfd serves the store, and a
/// second restore begins anew.
package struct PostgresRestoration {
    private let address: PostgresAddress
    private let owner: UniqueID
    private let isInsecure: Bool

    /// - Parameter owner: A number that is unique for each restore.
    package init(into address: PostgresAddress, owner: UniqueID, insecure isInsecure: Bool = false) {
        self.address = address
        self.owner = owner
        self.isInsecure = isInsecure
    }

    /// Throws if the store cannot take a restore: a daemon serves it, or it has data.
    package func check() throws(StoreError) {
        _ = try partitions()
    }

    /// Restores everything. The identity and the generation are those of `source`, and effects are held.
    ///
    /// - Parameter progress: Called after each slice with the rows of the journal so far.
    /// - Throws: An error after which the store is as empty as before, for other wfds.
    @concurrent package func run(
        from source: any StoreExport, progress: @Sendable (Int64) -> Void
    ) async throws(StoreError) {
        let partitions = try partitions()
        let store = try await source.exportedStore()
        guard store.clock == .real else {
            throw StoreError(.otherClock, "Cannot restore to '\(address)': the file has the virtual clock")
        }
        let log = PartitionLog(address, owner: owner, patience: .seconds(60))
        defer { log.close() }
        try log.take(partitions)
        // A daemon may have begun since the first look. From here on the log keeps all others out.
        _ = try self.partitions()
        try write([Request(Self.empty), Request(Self.begin)], log)
        var placement = RowPlacement(partitions: partitions.count)
        var restored = RestoredPartitions(store, partitions: partitions)
        var (next, count): (InspectionPlace?, Int64) = (.start, 0)
        while let place = next {
            var rows = try await source.exportRows(after: place)
            next = rows.next
            var instances: [InstanceRecord] = []
            for record in rows.instances { instances.append(try placement.place(record)) }
            rows.instances = instances
            placement.place(&rows)
            let keys = restored.take(rows)
            let requests = RestoredRows(rows, keys: keys, partitions: partitions).requests
            if !requests.isEmpty { try write(requests, log) }
            count += Int64(rows.journal.count)
            progress(count)
        }
        let end = Request(Self.end) {
            $0.add(store.identity.uuid.bytes)
            $0.add(store.identity.generation)
            $0.add(restored.placed.position)
            $0.add(restored.placed.instance)
        }
        try commit(restored.logRows(on: log.rows), with: [end], log)
    }

    /// Commits a slice, in the first partition, whose log fences all of them.
    private func write(_ requests: [Request], _ log: PartitionLog) throws(StoreError) {
        guard let row = log.rows[.first] else { throw LogRow.missing(.first) }
        try commit([row], with: requests, log)
    }

    private func commit(_ rows: [LogRow], with requests: [Request], _ log: PartitionLog) throws(StoreError) {
        do throws(StoreError) {
            try log.commit(rows, with: requests)
        } catch {
            guard error.code == .outcomeUnknown, log.resolve() == .committed else { throw error }
        }
    }

    /// Returns the partitions of a store that can take a restore.
    private func partitions() throws(StoreError) -> [PartitionID] {
        let facts = try ServerFacts.read(address)
        if let refusal = facts.refusal(at: address, insecure: isInsecure) { throw refusal }
        try DaemonTable(address, id: owner, version: "", partitions: []).refuseLiving()
        let connection = ReadingConnection(address)
        let snapshot = Snapshot(address: address, read: connection.once)
        let found = try snapshot.read(Request(Self.facts)) { answer in
            try answer.first { row in (try row.integer(in: StoreSchema.partitions), try row.flag()) }
        }
        guard let (count, isEmpty) = found else {
            throw StoreError(.corrupt, "Cannot restore to '\(address)': the row in 'store' is missing")
        }
        guard isEmpty else {
            throw StoreError(
                .cannotOpen,
                "Cannot restore to '\(address)': the store has data; make an empty database, and 'wfd init' in it")
        }
        return (0..<count).map(PartitionID.init(rawValue:))
    }

    private static let tables = [
        "machine", "instance", "journal", "snapshot", "timer", "dedupe", "restoration", "effect", "attempt", "queue",
        "tally", "machine_setting", "erasure", "audit", "purge", "bulk", "bulk_names", "change",
    ]

    private static let facts: Statement = {
        let rows = tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
        return Statement(
            name: "restore-facts", sql: "SELECT partitions, restoring OR NOT (\(rows)) FROM store WHERE id = 1")
    }()

    private static let empty = Statement(
        name: "empty-store", sql: "TRUNCATE \(tables.joined(separator: ", "))")

    private static let begin = Statement(
        name: "begin-restore", sql: "UPDATE store SET restoring = true WHERE id = 1")

    private static let end = Statement(
        name: "end-restore",
        sql: """
            UPDATE store SET uuid = $1::bytea, generation = $2::bigint, held = true, restoring = false,
                placed_position = $3::bigint, placed_instance = $4::bigint WHERE id = 1
            """)
}
