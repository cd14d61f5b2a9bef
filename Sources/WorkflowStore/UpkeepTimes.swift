/// When somebody last took care of a store.
package struct UpkeepTimes: Sendable, Equatable {
    /// A backup was fetched to its end; nil where none is known.
    package var backup: Timestamp?
    /// A verification of everything found nothing; nil where none is known.
    package var verification: Timestamp?

    package init(backup: Timestamp? = nil, verification: Timestamp? = nil) {
        self.backup = backup
        self.verification = verification
    }
}

/// Keeps these times beside a store, over restarts. They belong to the place and not to the data: no copy takes them
/// along, and a restore leaves them.
package protocol StoreUpkeep: Sendable {
    /// The times that were kept last; nothing where none can be read. Blocks for the disk.
    func upkeepTimes() -> UpkeepTimes

    /// Keeps times in place of those before. Blocks for the disk.
    func keep(_ times: UpkeepTimes) throws(StoreError)
}
