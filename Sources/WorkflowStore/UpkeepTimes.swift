/// The times at which a store was last maintained.
package struct UpkeepTimes: Sendable, Equatable {
    /// The time at which a backup was last fetched completely; `nil` if unknown.
    package var backup: Timestamp?
    /// The time of the last complete verification without findings; `nil` if unknown.
    package var verification: Timestamp?

    package init(backup: Timestamp? = nil, verification: Timestamp? = nil) {
        self.backup = backup
        self.verification = verification
    }
}

/// Stores these times beside a store, across restarts. The times belong to the place and not to the data: copies do not
/// include them, and a restore keeps them.
package protocol StoreUpkeep: Sendable {
    /// Returns the times that were stored last, or empty times if none can be read. Blocks on the disk.
    func upkeepTimes() -> UpkeepTimes

    /// Replaces the stored times. Blocks on the disk.
    func keep(_ times: UpkeepTimes) throws(StoreError)

    /// Returns the names of the copies that upgrades have kept beside the store. They still contain what was erased
    /// since. Blocks on the disk.
    func keptCopies() -> [String]
}
