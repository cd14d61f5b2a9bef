import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StoreFile {
    /// What the names of all backups begin with.
    private var backupPrefix: String { path + ".backup-" }

    /// Where a backup lies until it is fetched.
    func backup(_ name: BackupName) -> String { backupPrefix + name.text }

    /// Where it is made.
    func unfinishedBackup(_ name: BackupName) -> String { backup(name) + ".partial" }

    /// Removes the backups that an earlier process left, and what SQLite put beside them; a file that a person named
    /// alike stays. Call it with the lock held.
    func removeBackups() {
        for path in paths(beginningWith: backupPrefix) {
            let parts = path.dropFirst(backupPrefix.count).split(maxSplits: 1) { $0 == "." || $0 == "-" }
            // One that cannot be removed only takes space.
            if BackupName(String(parts.first ?? "")) != nil { unlink(path) }
        }
    }

    /// The files beside the database whose paths begin so, in no order.
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

    /// Refuses a copy that would leave the disk with too little to go on working.
    func requireSpace(for bytes: Int64, limits: StoreLimits) throws(StoreError) {
        // Where nobody can tell, it is tried.
        guard let free = freeBytes, free < bytes + limits.backupReserveBytes else { return }
        throw StoreError(
            .unavailable,
            "the copy needs \(Self.mebibytes(bytes)) and leaves \(Self.mebibytes(limits.backupReserveBytes)) free, but "
                + "'\(directory)' has \(Self.mebibytes(free)) left")
    }

    /// What is left on the disk; nil where nobody can tell.
    var freeBytes: Int64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// True when the disk has no block or no file left to give; false where nobody can tell.
    var hasNoRoom: Bool {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return false }
        // A file system without a fixed number of files says 0.
        return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
    }

    private static func mebibytes(_ bytes: Int64) -> String { "\((bytes + 1 << 20 - 1) >> 20) MiB" }

    /// Makes a file that only its owner can read. SQLite takes its mode for everything that it puts beside it.
    static func createEmpty(_ path: String, for given: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(given, errno, "'\(path)': ") }
        close(descriptor)
    }
}
