import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whose files may be used. Somebody else may have put a file where one of ours is looked for.
enum FileOwner {
    /// Ours and root's; root uses anybody's.
    case ours
    /// Anybody's: what is only read, as a backup.
    case anybody

    /// Why a file may not be used, such as `is a symbolic link; move it away`; nil when it may.
    func refusal(of status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: return Self.link
        default: return "is not a file"
        }
        let user = geteuid()
        guard self == .ours, user != 0, status.st_uid != 0, status.st_uid != user else { return nil }
        return "belongs to another user (uid \(status.st_uid), and wfd runs as \(user)); chown it, or move it away"
    }

    fileprivate static let link = "is a symbolic link; move it away"
}

extension StoreFile {
    /// Opens a file as it is there: a regular one, of the right owner, and no link to another. Every file that is not
    /// opened by SQLite, which follows no links either, is opened here.
    ///
    /// - Returns: A descriptor; nil when there is no file.
    static func openRegular(
        _ path: String, _ flags: CInt, of owner: FileOwner = .ours, for given: String
    ) throws(StoreError) -> CInt? {
        // Without waiting for the other end of a pipe, which is refused below.
        let descriptor = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw refused(path, FileOwner.link, for: given) }
            throw failure(given, errno, "'\(path)': ")
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, let reason = owner.refusal(of: status) {
            close(descriptor)
            throw refused(path, reason, for: given)
        }
        return descriptor
    }

    /// Opens a file that must be there.
    static func openPresent(
        _ path: String, _ flags: CInt, of owner: FileOwner = .ours, for given: String
    ) throws(StoreError) -> CInt {
        guard let descriptor = try openRegular(path, flags, of: owner, for: given) else {
            throw failure(given, ENOENT, "'\(path)': ")
        }
        return descriptor
    }

    /// Refuses what lies where SQLite looks for the parts of the database when it is not ours. They are not opened:
    /// closing one would drop the locks that this process has on it.
    func refuseForeignParts(of owner: FileOwner = .ours) throws(StoreError) {
        for path in [wal, index, rollbackJournal, heldLog] { try look(at: path, of: owner) }
    }

    /// Refuses what a path names when it is no file of the right owner's.
    func look(at path: String, of owner: FileOwner = .ours) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0, let reason = owner.refusal(of: status) else { return }
        throw Self.refused(path, reason, for: given)
    }

    private static func refused(_ path: String, _ reason: String, for given: String) -> StoreError {
        StoreError(.cannotOpen, "Cannot open '\(given)': \(path == given ? "it" : "'\(path)'") \(reason)")
    }
}
