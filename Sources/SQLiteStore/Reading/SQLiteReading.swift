import GRDB
package import WorkflowStore

/// The reads of one SQLite file, whoever has it open: the part that `SQLiteFileStore` and `SQLiteFile` share.
package protocol SQLiteReading: StoreReader, StoreAudit {
    /// The reading connections.
    var readers: ReaderPool { get }
    /// The limits of the reads.
    var limits: StoreLimits { get }
}

extension SQLiteReading {
    package var partitions: [PartitionID] { [.first] }

    package var audit: (any StoreAudit)? { self }
}

extension SQLiteReading {
    package func instances(
        _ query: InstanceQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> InstancePage {
        var scan = InstanceScan(query, in: namespace, limits: limits)
        while !scan.isDone {
            scan = try await readers.slice { [scan] database, budget in
                var scan = scan
                try scan.step(database, &budget)
                return scan
            }
        }
        return scan.page
    }
}
