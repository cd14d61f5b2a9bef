/// What a restore did, or would do.
package struct RestoreReport: Sendable, Equatable {
    /// What is restored; its generation is the new one.
    package var contents: StoreContents
    package var bytes: Int64
    /// Where the database is that was there before; nil when there was none, and after a dry run.
    package var replaced: String?
    /// Why the generation of that one is not known; nil when it is, or when there is none.
    package var unreadable: String?
    /// Whether the database that is there is of another store: they have no history in common.
    package var isOfAnotherStore = false
}

/// Puts a backup in the place of a database.
///
/// The database's name changes hands in one moment: before it the old database is there, after it the new one, whole
/// and on the disk. What was there stays beside it under another name.
package struct StoreRestoration {
    /// Which clock the restored database is for.
    package enum ClockChoice: String, Sendable, CaseIterable {
        /// That of the backup.
        case kept
        case virtual
    }

    /// The backup.
    package var backup: String
    /// The database to be.
    package var database: String
    /// Whether the database's directory is created where it is missing: for a path that nobody typed.
    package var makesFolder: Bool
    package var clock: ClockChoice
    /// Verify and tell, and change nothing.
    package var isDryRun: Bool
    package var limits: StoreLimits
    /// Checks a file that nobody else has open; throws `StoreError` with `damaged` when it is not what was written.
    /// Nil for `FullCheck`.
    package var verify: ((_ path: String) throws -> Void)?

    package init(
        backup: String, database: String, makesFolder: Bool = false, clock: ClockChoice = .kept,
        isDryRun: Bool = false,
        limits: StoreLimits = StoreLimits(), verify: ((_ path: String) throws -> Void)? = nil
    ) {
        self.backup = backup
        self.database = database
        self.makesFolder = makesFolder
        self.clock = clock
        self.isDryRun = isDryRun
        self.limits = limits
        self.verify = verify
    }

    /// Does it, with the database locked all the while.
    ///
    /// - Parameter now: Goes into the name of the database that was there, and into the table of restores.
    package func run(clock now: Timestamp) throws(StoreError) -> RestoreReport {
        do {
            return try Restoring(self, now: now).run()
        } catch {
            throw (error as? StoreError)
                ?? StoreError(.cannotOpen, "Cannot restore '\(backup)': \(SQLiteFailure(error))")
        }
    }
}
