import GRDB
import Statechart
package import WorkflowStore

// The rows of runs over many instances.

extension BatchWriting {
    func writeRuns(of batch: StoreBatch, _ database: Database) throws {
        for key in batch.forgottenRuns {
            for table in ["bulk", "bulk_names"] {
                try database.run(
                    "DELETE FROM \(table) \(BulkKey.condition)", key)
            }
        }
        try BulkRecord.insert(batch.changedRuns, database, "INSERT OR REPLACE", values: values)
        for (key, names) in batch.runNames.sorted(by: { $0.key < $1.key }) {
            try RunNames.insert(RunNames.pieces(of: names, for: key), database, "INSERT OR REPLACE")
        }
    }
}

enum BulkQueries {
    static func runs(_ database: Database, after key: BulkKey?, limit: Int) throws -> [BulkRecord] {
        let first = BulkKey("", in: NamespaceID(rawValue: .min), partition: PartitionID(rawValue: .min))
        return try BulkRecord.all(
            database,
            """
            WHERE (namespace_id, name, partition) > (?, ?, ?) ORDER BY namespace_id, name, partition LIMIT ?
            """, key ?? first, limit)
    }

    static func names(_ database: Database, of key: BulkKey, from number: Int64) throws -> [InstanceName] {
        let piece = number / Int64(BulkRecord.namesOfPiece)
        return try database.first(
            "SELECT instances FROM bulk_names \(BulkKey.condition) AND piece = ?", key, piece
        ) { row in RunNames.names(in: try row.text(), from: number) } ?? []
    }
}

extension SQLiteReading {
    package func bulkRun(_ key: BulkKey) async throws(StoreError) -> BulkRecord? {
        try await readers.slice { database, _ in
            try Table.run.isThere(in: database) ? BulkRecord.first(database, BulkKey.condition, key) : nil
        }
    }

    package func bulkRuns(after key: BulkKey?, limit: Int) async throws(StoreError) -> [BulkRecord] {
        try await readers.slice { database, _ in
            try Table.run.isThere(in: database) ? BulkQueries.runs(database, after: key, limit: limit) : []
        }
    }

    package func bulkNames(of key: BulkKey, from number: Int64) async throws(StoreError) -> [InstanceName] {
        try await readers.slice { database, _ in try BulkQueries.names(database, of: key, from: number) }
    }

    package func selection(
        _ query: SelectionQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> SelectionSlice {
        try await readers.slice { database, budget in
            var scan = SelectionScan(query, in: namespace)
            return try scan.slice(database, &budget)
        }
    }
}
