package import WorkflowStore

/// Reading one SQLite file, whoever has it open: what `SQLiteFileStore` and `SQLiteFile` share.
package protocol SQLiteReading: StoreReader, StoreAudit {
    /// The connections.
    var readers: ReaderPool { get }
    /// The bounds of what they read.
    var limits: StoreLimits { get }
}

extension SQLiteReading {
    package var partitions: [PartitionID] { [.first] }

    package var audit: (any StoreAudit)? { self }
}
