/// Reading one SQLite file, whoever has it open: what `SQLiteStore` and `SQLiteFile` share.
package protocol SQLiteReading: StoreReader {
    /// The connections.
    var readers: ReaderPool { get }
    /// The bounds of what they read.
    var limits: StoreLimits { get }
}

extension SQLiteReading {
    package var partitions: [PartitionID] { [.first] }
}
