import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A restore that was killed while it moved the database away. The database then has a second name, and the restored
/// one has not taken the first name yet.
///
/// The database is then complete only under its second name, because the log may have lost its first name already.
struct InterruptedRestore {
    /// The database's second name; `nil` if there was no database.
    let kept: String?

    /// Returns `nil` if there is no such restore. The caller must hold the lock.
    init?(_ file: StoreFile) {
        let names = file.paths(beginningWith: file.replacedPrefix)
        if let (identity, count) = file.identity() {
            guard count > 1, let kept = names.first(where: { StoreFile.identity(of: $0)?.identity == identity })
            else { return nil }
            self.kept = kept
        } else {
            guard StoreFile.size(of: file.restoring) != nil else { return nil }
            // On a file system without hard links, the database lost its first name before the log did. The names are
            // times, so the greatest is the last.
            kept = names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-journal") }.max()
        }
    }

    /// Returns the error of opening the store meanwhile.
    func error(_ file: StoreFile) -> StoreError {
        let place = kept.map { " while it kept the database as '\($0)'" } ?? ""
        return StoreError(
            .cannotOpen, "Cannot open '\(file.given)': a restore was cut off\(place); run 'wfd restore' again")
    }
}

extension StoreFile {
    /// Removes the copy of an unfinished restore. The caller must hold the lock.
    func removeUnfinishedRestore() {
        // A file that cannot be removed only takes space.
        Self.remove(["", "-wal", "-shm", "-journal"].map { restoring + $0 })
    }
}
