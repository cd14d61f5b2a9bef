import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A restore that was killed while it put the database away: between the second name that it gave to the database, and
/// the moment in which the restored one takes the first.
///
/// The database is then whole under its second name only, because the log may have lost its first one already.
struct InterruptedRestore {
    /// The database's second name; nil when there was no database.
    let kept: String?

    /// Nil when there is no such restore. Call it with the lock held.
    init?(_ file: StoreFile) {
        let names = file.paths(beginningWith: file.replacedPrefix)
        if let (identity, count) = file.identity() {
            guard count > 1, let kept = names.first(where: { StoreFile.identity(of: $0)?.identity == identity })
            else { return nil }
            self.kept = kept
        } else {
            guard StoreFile.size(of: file.restoring) != nil else { return nil }
            // On a file system without second names it lost the first one before the log did. The names are times.
            kept = names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-journal") }.max()
        }
    }

    /// Why a store cannot be opened meanwhile.
    func error(_ file: StoreFile) -> StoreError {
        let place = kept.map { " while it kept the database as '\($0)'" } ?? ""
        return StoreError(
            .cannotOpen, "Cannot open '\(file.given)': a restore was cut off\(place); run 'wfd restore' again")
    }
}

extension StoreFile {
    /// Removes the copy of a restore that came to no end. Call it with the lock held.
    func removeUnfinishedRestore() {
        // One that cannot be removed only takes space.
        Self.remove(["", "-wal", "-shm", "-journal"].map { restoring + $0 })
    }
}
