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
/// order and has no log. A copy made by hand may put an empty or an older log in its place. Under its second name the
/// log is still there, and its pages tell the cases apart. If the database has all pages of the log, nothing is lost.
/// No mark inside the database could prove the same, because a checkpoint writes its pages one by one. The mark of a
/// commit may be in the file while other pages of the commit are not.
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

    /// Returns true if the database, read through its present log, has every page as the held log committed it last;
    /// `nil` if there is no second name, or it names the present log.
    func isInDatabase() throws(StoreError) -> Bool? {
        guard let held = StoreFile.identity(of: file.heldLog)?.identity,
            held != StoreFile.identity(of: file.wal)?.identity
        else { return nil }
        guard let walk = try LogWalk(file.heldLog, keepsPages: true, for: file.given) else { return true }
        // A broken log does not show what it contained.
        guard walk.found == nil else { return false }
        guard walk.databasePages > 0 else { return true }
        let log = try open(file.heldLog)
        defer { close(log) }
        let database = try open(file.path)
        defer { close(database) }
        let present = try LogWalk(file.wal, keepsPages: true, for: file.given)
        let presentLog = present == nil ? nil : try open(file.wal)
        defer { if let presentLog { close(presentLog) } }
        for (page, place) in walk.pages where page <= walk.databasePages {
            let wanted = Self.read(log, at: place + Self.frameHeader, count: walk.pageBytes)
            let found =
                if let presentLog, let newer = present?.pages[page] {
                    Self.read(presentLog, at: newer + Self.frameHeader, count: walk.pageBytes)
                } else {
                    Self.read(database, at: Int64(page - 1) * Int64(walk.pageBytes), count: walk.pageBytes)
                }
            guard wanted.count == walk.pageBytes, wanted == found else { return false }
        }
        return true
    }

    /// The length of the header before the page in a frame of a log.
    private static let frameHeader: Int64 = 24

    private func open(_ path: String) throws(StoreError) -> CInt {
        try StoreFile.openPresent(path, O_RDONLY, of: .anybody, for: file.given)
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
