import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The owners whose files may be used. Another user may have put a file at a path that wfd uses.
enum FileOwner {
    /// Our own files and root's; root uses any file.
    case ours
    /// Files of any owner, for a file that is only read, such as a backup.
    case anybody

    /// Returns the reason why a file may not be used, such as `is a symbolic link; move it away`; `nil` if it may.
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
    /// Opens a file in place: a regular file with the right owner, not a symbolic link. Every file that SQLite does not
    /// open is opened here; SQLite follows no links either.
    ///
    /// - Returns: A descriptor; `nil` if there is no file.
    static func openRegular(
        _ path: String, _ flags: CInt, of owner: FileOwner = .ours, for given: String
    ) throws(StoreError) -> CInt? {
        // `O_NONBLOCK` does not wait for the other end of a pipe, which is refused below.
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

    /// Opens a file that must exist.
    static func openPresent(
        _ path: String, _ flags: CInt, of owner: FileOwner = .ours, for given: String
    ) throws(StoreError) -> CInt {
        guard let descriptor = try openRegular(path, flags, of: owner, for: given) else {
            throw failure(given, ENOENT, "'\(path)': ")
        }
        return descriptor
    }

    /// Refuses files of another owner at the paths of the database's parts. The files are not opened: closing one would
    /// drop this process's locks on it.
    func refuseForeignParts(of owner: FileOwner = .ours) throws(StoreError) {
        for path in [wal, index, rollbackJournal, heldLog] { try look(at: path, of: owner) }
    }

    /// Refuses a path that does not name a regular file of the right owner; a missing file is accepted.
    func look(at path: String, of owner: FileOwner = .ours) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0, let reason = owner.refusal(of: status) else { return }
        throw Self.refused(path, reason, for: given)
    }

    private static func refused(_ path: String, _ reason: String, for given: String) -> StoreError {
        StoreError(.cannotOpen, "Cannot open '\(given)': \(path == given ? "it" : "'\(path)'") \(reason)")
    }
}
