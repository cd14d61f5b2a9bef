import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A second name (hard link) of the write-ahead log, which keeps the log's content when somebody removes the log.
///
/// Two things remove the log of a killed daemon. A person may delete it. SQLite, in any program that opens and closes
/// the database, moves the whole log into the file and then removes the log. Both leave a file that was not closed in
/// order and has no log. Under its second name the log is still there, and its pages tell the two cases apart. If the
/// file has all pages of the log, nothing is lost. No mark inside the database could prove the same, because a
/// checkpoint writes its pages one by one. The mark of a commit may be in the file while other pages of the commit are
/// not.
struct HeldLog {
    let file: StoreFile

    /// Gives the present log its second name. Afterwards the second name does not refer to an older log. Call this
    /// method when a connection has the log open, before any answer leaves.
    func hold() throws(StoreError) {
        let log = StoreFile.identity(of: file.wal)?.identity
        if let log, StoreFile.identity(of: file.heldLog)?.identity == log { return }
        guard unlink(file.heldLog) == 0 || errno == ENOENT else {
            throw StoreFile.failure(file.given, errno, "'\(file.heldLog)': ")
        }
        // If the file system has no hard links, wfd cannot tell what a missing log contained.
        link(file.wal, file.heldLog)
        try StoreFile.flushDirectory(file.directory, for: file.given)
    }

    /// Removes the second name if the log itself is gone, after closing in order.
    func letGo() {
        if StoreFile.size(of: file.wal) == nil { unlink(file.heldLog) }
    }

    /// Returns true if the file has every page as the log committed it last; `nil` if there is no second name.
    func isInFile() throws(StoreError) -> Bool? {
        guard StoreFile.size(of: file.heldLog) != nil else { return nil }
        guard let walk = try LogWalk(file.heldLog, keepsPages: true, for: file.given) else { return true }
        // A broken log does not show what it contained.
        guard walk.found == nil else { return false }
        guard walk.databasePages > 0 else { return true }
        let log = try StoreFile.openPresent(file.heldLog, O_RDONLY, of: .anybody, for: file.given)
        defer { close(log) }
        let database = try StoreFile.openPresent(file.path, O_RDONLY, of: .anybody, for: file.given)
        defer { close(database) }
        for (page, place) in walk.pages where page <= walk.databasePages {
            // The page follows the frame's header of 24 bytes.
            let wanted = Self.read(log, at: place + 24, count: walk.pageBytes)
            let found = Self.read(database, at: Int64(page - 1) * Int64(walk.pageBytes), count: walk.pageBytes)
            guard wanted.count == walk.pageBytes, wanted == found else { return false }
        }
        return true
    }

    private static func read(_ descriptor: CInt, at place: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Bytes that cannot be read count as missing.
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }
}

extension StoreFile {
    /// The path of the second name of the log.
    var heldLog: String { path + Self.heldLogSuffix }

    /// The suffix that the second name adds to the path of the database.
    static let heldLogSuffix = ".held-wal"
}
