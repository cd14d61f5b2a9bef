import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A second name of the write-ahead log: what is in the log stays known when somebody removes it.
///
/// Two things remove the log of a daemon that was killed: a person, and SQLite in any program that opens the database
/// and closes it, which moves the whole log into the file before. Both leave a file that was not closed in order and
/// has no log. By its second name the log is still there, and its pages say which it was: when the file has all of
/// them, nothing is lost. No mark inside the database could say so, because a checkpoint writes its pages one by one: a
/// mark that a commit raised may be there while pages of the same commit are not.
struct HeldLog {
    let file: StoreFile

    /// Gives the log that is there now the second name; nothing of an older one is left under it when this returns.
    /// Call it when a connection has the log open, before anything is answered.
    func hold() throws(StoreError) {
        let log = StoreFile.identity(of: file.wal)?.identity
        if let log, StoreFile.identity(of: file.heldLog)?.identity == log { return }
        guard unlink(file.heldLog) == 0 || errno == ENOENT else {
            throw StoreFile.failure(file.given, errno, "'\(file.heldLog)': ")
        }
        // Where the file system has no second names, a log that is missing stays in doubt.
        link(file.wal, file.heldLog)
        try StoreFile.flushDirectory(file.directory, for: file.given)
    }

    /// Removes the name when the log itself is gone: after closing in order.
    func letGo() {
        if StoreFile.size(of: file.wal) == nil { unlink(file.heldLog) }
    }

    /// Whether the file has every page as the log committed it last; nil when there is no second name.
    func isInFile() throws(StoreError) -> Bool? {
        guard StoreFile.size(of: file.heldLog) != nil else { return nil }
        guard let walk = try LogWalk(file.heldLog, keepsPages: true, for: file.given) else { return true }
        // A broken one does not say what it held.
        guard walk.found == nil else { return false }
        guard walk.databasePages > 0 else { return true }
        let log = try StoreFile.openPresent(file.heldLog, O_RDONLY, of: .anybody, for: file.given)
        defer { close(log) }
        let database = try StoreFile.openPresent(file.path, O_RDONLY, of: .anybody, for: file.given)
        defer { close(database) }
        for (page, place) in walk.pages where page <= walk.databasePages {
            // Behind the frame's own 24 bytes.
            let wanted = Self.read(log, at: place + 24, count: walk.pageBytes)
            let found = Self.read(database, at: Int64(page - 1) * Int64(walk.pageBytes), count: walk.pageBytes)
            guard wanted.count == walk.pageBytes, wanted == found else { return false }
        }
        return true
    }

    private static func read(_ descriptor: CInt, at place: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // What cannot be read is not there.
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }
}

extension StoreFile {
    /// The second name of the log.
    var heldLog: String { path + Self.heldLogSuffix }

    /// What its name has behind that of the database.
    static let heldLogSuffix = ".held-wal"
}
