import GRDB
import Statechart
package import WorkflowStore

// Runs over many instances.

extension BatchWriting {
    func writeRuns(of batch: StoreBatch, _ database: Database) throws {
        for key in batch.forgottenRuns {
            for table in ["bulk", "bulk_names"] {
                var delete = try PreparedStatement(
                    database, "DELETE FROM \(table) WHERE namespace_id = ? AND name = ? AND partition = ?")
                delete.bind(key)
                try delete.run()
            }
        }
        for run in batch.changedRuns { try write(run, database) }
        for (key, names) in batch.runNames.sorted(by: { $0.key < $1.key }) { try insert(names, of: key, database) }
    }

    private func write(_ run: BulkRecord, _ database: Database) throws {
        var insert = try PreparedStatement(
            database,
            "INSERT OR REPLACE INTO bulk (\(BulkRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
        insert.bind(run.key)
        insert.bind(run.request)
        insert.bind(run.actor?.rawValue)
        insert.bind(run.state.rawValue)
        insert.bind(run.generation)
        insert.bind(run.floor.rawValue)
        insert.bind(run.mark.machine)
        insert.bind(run.mark.number)
        insert.bind(run.selected)
        insert.bind(run.outcome)
        insert.bind(run.begun.rawValue)
        insert.bind(run.updated.rawValue)
        insert.bind(run.ended?.rawValue)
        try insert.run()
    }

    private func insert(_ names: [InstanceName], of key: BulkKey, _ database: Database) throws {
        var insert = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO bulk_names (namespace_id, name, partition, piece, instances) VALUES (?, ?, ?, ?, ?)
            """)
        for (piece, start) in stride(from: 0, to: names.count, by: BulkRecord.namesOfPiece).enumerated() {
            let some = names[start..<min(start + BulkRecord.namesOfPiece, names.count)]
            insert.bind(key)
            insert.bind(Int64(piece))
            insert.bind(some.map(\.rawValue).joined(separator: "\n"))
            try insert.run()
        }
    }
}

extension PreparedStatement {
    fileprivate mutating func bind(_ key: BulkKey) {
        bind(key.namespace.rawValue)
        bind(key.name)
        bind(key.partition.rawValue)
    }
}

extension BulkRecord {
    static let columns = """
        namespace_id, name, partition, request, actor, state, generation, floor, mark_machine, mark, selected, outcome,
        begun_ms, updated_ms, ended_ms
        """

    init(row: inout StatementRow) throws {
        let (namespace, name) = (try row.namespaceID(), try row.name())
        let key = BulkKey(
            name, in: namespace, partition: PartitionID(rawValue: try row.integer(in: PartitionID.range)))
        let (request, actor, state) = (try row.text(), try row.actor(), try row.word() as State)
        let (generation, floor) = (try row.integer(in: StoreRow.generations), try row.position())
        // Behind the last instance of a machine version stands the highest number there is.
        let mark = BulkMark(machine: try row.count(), number: try row.integer(in: 0 ... .max))
        self.init(
            key: key, request: request, actor: actor, state: state, generation: generation, floor: floor, mark: mark,
            selected: try row.count(), outcome: try row.text(), begun: try row.time())
        updated = try row.time()
        ended = try row.optionalTime()
    }
}

enum BulkQueries {
    static func run(_ database: Database, _ key: BulkKey) throws -> BulkRecord? {
        var select = try PreparedStatement(
            database,
            "SELECT \(BulkRecord.columns) FROM bulk WHERE namespace_id = ? AND name = ? AND partition = ?")
        select.bind(key)
        return try select.first { row in try BulkRecord(row: &row) }
    }

    static func runs(_ database: Database, after key: BulkKey?, limit: Int) throws -> [BulkRecord] {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(BulkRecord.columns) FROM bulk WHERE (namespace_id, name, partition) > (?, ?, ?)
            ORDER BY namespace_id, name, partition LIMIT ?
            """)
        if let key {
            select.bind(key)
        } else {
            select.bind(Int64.min)
            select.bind("")
            select.bind(Int64.min)
        }
        select.bind(Int64(limit))
        var runs: [BulkRecord] = []
        try select.forEachRow { row in
            runs.append(try BulkRecord(row: &row))
            return true
        }
        return runs
    }

    static func names(_ database: Database, of key: BulkKey, from number: Int64) throws -> [InstanceName] {
        var select = try PreparedStatement(
            database,
            """
            SELECT instances FROM bulk_names WHERE namespace_id = ? AND name = ? AND partition = ? AND piece = ?
            """)
        select.bind(key)
        let size = Int64(BulkRecord.namesOfPiece)
        select.bind(number / size)
        let names = try select.first { row in
            try row.text().split(separator: "\n").map { InstanceName(rawValue: "\($0)") }
        }
        return Array((names ?? []).dropFirst(Int(number % size)))
    }
}

extension SQLiteReading {
    package func bulkRun(_ key: BulkKey) async throws(StoreError) -> BulkRecord? {
        try await readers.slice { database, _ in
            try BulkRecord.areThere(in: database) ? BulkQueries.run(database, key) : nil
        }
    }

    package func bulkRuns(after key: BulkKey?, limit: Int) async throws(StoreError) -> [BulkRecord] {
        try await readers.slice { database, _ in
            try BulkRecord.areThere(in: database) ? BulkQueries.runs(database, after: key, limit: limit) : []
        }
    }

    package func bulkNames(of key: BulkKey, from number: Int64) async throws(StoreError) -> [InstanceName] {
        try await readers.slice { database, _ in try BulkQueries.names(database, of: key, from: number) }
    }

    package func selection(
        _ query: SelectionQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> SelectionSlice {
        try await readers.slice { database, budget in
            try SelectionScan(query, in: namespace).slice(database, &budget)
        }
    }
}

extension BulkRecord {
    /// Whether the schema has runs: a file that is only read may be of an earlier one.
    fileprivate static func areThere(in database: Database) throws -> Bool {
        try TallyInspection.isThere(in: database)
    }
}
