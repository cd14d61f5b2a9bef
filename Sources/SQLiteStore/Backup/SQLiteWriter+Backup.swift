import GRDB
import WorkflowStore

extension SQLiteWriter: BackupCopying {
    var backups: (any BackupCopying)? { self }

    func beginBackup(_ name: BackupName) throws(StoreError) {
        try requireUsable()
        precondition(backup == nil, "one backup at a time")  // Proof: the lane makes one backup after another
        do {
            backup = try connection.inDatabase { database in
                try SQLiteBackup(to: file.unfinishedBackup(name), of: database, beside: file, limits: limits)
            }
        } catch {
            throw StoreError(backingUp: file.given, error)
        }
    }

    func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress {
        // Proof: the lane steps a backup that it has begun.
        guard let backup else { preconditionFailure("no backup is under way") }
        do {
            try requireUsable()
            return try connection.inDatabase { _ in
                let progress = try backup.step(for: duration)
                if progress.isDone {
                    backup.end()
                    self.backup = nil
                }
                return progress
            }
        } catch {
            abandonBackup()
            throw StoreError(backingUp: file.given, error)
        }
    }

    func abandonBackup() {
        guard let backup else { return }
        self.backup = nil
        connection.inDatabase { _ in backup.abandon() }
    }
}

extension StoreError {
    /// Creates the error of a failed backup.
    init(backingUp path: String, _ error: any Error) {
        let failure = SQLiteFailure(error)
        let reason = (error as? StoreError)?.message ?? (failure.isFull ? "its disk is full" : "\(failure)")
        let isDamage = (error as? StoreError)?.code == .damaged || failure.isCorrupt
        self.init(isDamage ? .damaged : .unavailable, "Cannot back up '\(path)': \(reason)")
    }
}
