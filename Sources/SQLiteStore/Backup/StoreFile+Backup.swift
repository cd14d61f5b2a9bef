import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StoreFile {
    /// The prefix of the paths of all backups.
    private var backupPrefix: String { path + ".backup-" }

    /// Returns the path of a backup until it is fetched.
    func backup(_ name: BackupName) -> String { backupPrefix + name.text }

    /// Returns the path at which a backup is made.
    func unfinishedBackup(_ name: BackupName) -> String { backup(name) + ".partial" }

    /// True if there may be backups that an earlier process left.
    var hasBackups: Bool { !paths(beginningWith: backupPrefix).isEmpty }

    /// Removes a backup, complete or not, and the files that SQLite put beside it.
    func remove(_ name: BackupName) {
        for path in paths(beginningWith: backup(name)) { unlink(path) }
    }

    /// Removes the backups that an earlier process left, and the files that SQLite put beside them. A file that a
    /// person gave a similar name stays. The caller must hold the lock.
    func removeBackups() {
        for path in paths(beginningWith: backupPrefix) {
            let parts = path.dropFirst(backupPrefix.count).split(maxSplits: 1) { $0 == "." || $0 == "-" }
            // A file that cannot be removed only takes space.
            if BackupName(String(parts.first ?? "")) != nil { unlink(path) }
        }
    }

    /// Returns the paths beside the database with a prefix, in no order.
    func paths(beginningWith prefix: String) -> [String] {
        let folder = directory == "/" ? "/" : directory + "/"
        guard let listing = opendir(directory) else { return [] }
        defer { closedir(listing) }
        var paths: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if (folder + name).hasPrefix(prefix) { paths.append(folder + name) }
        }
        return paths
    }

    /// Refuses a copy that would leave the disk with too little free space for further work.
    func requireSpace(for bytes: Int64, limits: StoreLimits) throws(StoreError) {
        // If the free space is unknown, the copy is tried.
        guard let free = freeBytes, free < bytes + limits.backupReserveBytes else { return }
        throw StoreError(
            .unavailable,
            "the copy needs \(Self.mebibytes(bytes)) and leaves \(Self.mebibytes(limits.backupReserveBytes)) free, but "
                + "'\(directory)' has \(Self.mebibytes(free)) left")
    }

    /// The free bytes on the disk; `nil` if they are unknown.
    var freeBytes: Int64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// True if the disk has no free block or no free file; false if that is unknown.
    var hasNoRoom: Bool {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return false }
        // A file system without a fixed number of files reports 0.
        return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
    }

    static func mebibytes(_ bytes: Int64) -> String { "\((bytes + 1 << 20 - 1) >> 20) MiB" }

    /// Creates a file that only its owner can read. SQLite uses the file's mode for all files that it puts beside it.
    static func createEmpty(_ path: String, for given: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(given, errno, "'\(path)': ") }
        close(descriptor)
    }

    /// Gives a file that will replace this one the owner, group and permissions of this one.
    func giveOwner(to copy: String) throws(StoreError) {
        var (old, new) = (stat(), stat())
        guard lstat(path, &old) == 0, lstat(copy, &new) == 0,
            // An owner who is not in the file's group may not set the group again.
            (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid) || chown(copy, old.st_uid, old.st_gid) == 0,
            chmod(copy, old.st_mode & 0o777) == 0
        else { throw Self.failure(given, errno, "its owner cannot be kept: ") }
    }
}
