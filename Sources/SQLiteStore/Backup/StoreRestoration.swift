package import WorkflowStore

/// The outcome of a restore or of a dry run.
package struct RestoreReport: Sendable, Equatable {
    /// The counts of the restored database; their generation is the new one.
    package var contents: StoreContents
    package var bytes: Int64
    /// The path of the replaced database, also after a dry run; `nil` if there was none.
    package var replaced: String?
    /// The number of events that only the replaced database has; `nil` if there was none, or if they cannot be counted.
    package var events: Int64?
    /// The number of erasures that the backup does not record and that the restored database has to carry out.
    package var erasures = 0
    /// The number of erasures of instances that the backup does not have. The restored database records them for a
    /// later restore.
    package var keptErasures = 0
    /// The number of instances of the backup that are deleted again, because they were deleted from the replaced
    /// database.
    package var deleted = 0
    /// The number of deletions of instances that the backup does not have. The restored database records them.
    package var keptDeletions = 0
    /// The reason why the generation of the replaced database is unknown; `nil` if it is known, or if there was no
    /// database.
    package var unreadable: String?
    /// True if the replaced database belongs to another store: the two have no common history.
    package var isOfAnotherStore = false
    /// The clock of the restored database, and the highest time in it.
    package var clock = StoreClock.real
    package var time = Timestamp(rawValue: 0)
}

/// Replaces a database by a backup.
///
/// The database's name changes hands in one moment. Before, it names the old database; afterwards, the new one,
/// complete and on the disk. The old database stays beside it under another name.
package struct StoreRestoration {
    /// The clock of the restored database.
    package enum ClockChoice: String, Sendable, CaseIterable {
        /// The clock of the backup.
        case kept
        case virtual
    }

    /// The path of the backup.
    package var backup: String
    /// The path of the database to restore.
    package var database: String
    /// The path of a second database whose erasures and deletions are carried out, beside those of the replaced one;
    /// `nil` for none.
    package var erasures: String?
    /// True to create a missing directory of the database, for a path that nobody typed.
    package var makesFolder: Bool
    package var clock: ClockChoice
    /// True to verify and report, and change nothing.
    package var isDryRun: Bool
    /// Determines where the restored database is.
    package var place: PlaceSource
    package var limits: StoreLimits
    /// The check that `StoreBackups.completeBackup` uses too.
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

    /// Runs the restore; the database stays locked meanwhile.
    ///
    /// - Parameter now: The time in the name of the replaced database and in the table of restores.
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
