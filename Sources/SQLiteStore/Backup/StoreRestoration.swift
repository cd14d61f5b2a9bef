package import WorkflowStore

/// What a restore did, or would do.
package struct RestoreReport: Sendable, Equatable {
    /// What is restored; its generation is the new one.
    package var contents: StoreContents
    package var bytes: Int64
    /// Where the database is that was there before, or would be after a dry run; nil when there was none.
    package var replaced: String?
    /// Events that only that one has; nil when there was none, and when they cannot be counted.
    package var events: Int64?
    /// Erasures that the backup knows nothing of, and that are to be carried out in what is restored.
    package var erasures = 0
    /// Those of instances that the backup does not have. What is restored remembers them, for a restore after it.
    package var keptErasures = 0
    /// Instances of the backup that are deleted again, because they were deleted from the replaced database.
    package var deleted = 0
    /// Deletions of instances that the backup does not have. The restored database remembers them.
    package var keptDeletions = 0
    /// Why the generation of that one is not known; nil when it is, or when there is none.
    package var unreadable: String?
    /// Whether the database that is there is of another store: they have no history in common.
    package var isOfAnotherStore = false
    /// For which clock what is restored is, and the highest time that it knows.
    package var clock = StoreClock.real
    package var time = Timestamp(rawValue: 0)
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
    /// A second database whose erasures and deletions are carried out, beside those of the replaced one; nil for none.
    package var erasures: String?
    /// Whether the database's directory is created where it is missing: for a path that nobody typed.
    package var makesFolder: Bool
    package var clock: ClockChoice
    /// Verify and tell, and change nothing.
    package var isDryRun: Bool
    /// Tells where the restored database is.
    package var place: PlaceSource
    package var limits: StoreLimits
    /// What `WorkflowStore.completeBackup` uses, too.
    package var verify: FileVerification

    package init(
        backup: String, database: String, erasures: String? = nil, makesFolder: Bool = false,
        clock: ClockChoice = .kept,
        isDryRun: Bool = false, place: PlaceSource = .system(machine: nil),
        limits: StoreLimits = StoreLimits(), verify: @escaping FileVerification
    ) {
        self.backup = backup
        self.database = database
        self.erasures = erasures
        self.makesFolder = makesFolder
        self.clock = clock
        self.isDryRun = isDryRun
        self.place = place
        self.limits = limits
        self.verify = verify
    }

    /// Does it, with the database locked all the while.
    ///
    /// - Parameter now: Goes into the name of the database that was there, and into the table of restores.
    package func run(clock now: Timestamp) async throws(StoreError) -> RestoreReport {
        do {
            return try await Restoring(self, now: now).run()
        } catch {
            if let error = error as? StoreError { throw error }
            let failure = SQLiteFailure(error)
            let code: StoreError.Code = failure.isCorrupt ? .damaged : failure.isFull ? .unavailable : .cannotOpen
            throw StoreError(code, "Cannot restore '\(backup)': \(failure)")
        }
    }
}
