import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The paths of one store: the file and the files beside it.
struct StoreFile: Sendable {
    /// The path as the caller gave it, for messages.
    let given: String
    /// The path with links resolved, so that two names of one file share one lock and one write-ahead log.
    let path: String

    var wal: String { path + "-wal" }
    var index: String { path + "-shm" }
    var rollbackJournal: String { path + "-journal" }
    /// The lock file of the process that has the store open. It stays after closing, because removing it would race.
    var lock: String { path + ".lock" }
    /// The begins of attempts that have no end. The file is optional; see ``BegunFile``.
    var begun: String { path + ".begun" }
    /// The path at which a new store is built.
    var creating: String { path + ".creating" }
    /// The path to which a backup is copied before it replaces the database.
    var restoring: String { path + ".restoring" }
    /// The file that records the last backup and the last verification.
    var upkeep: String { path + ".upkeep" }
    /// The prefix of the paths under which restores keep the databases that they replace.
    var replacedPrefix: String { path + ".replaced-" }

    var directory: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Resolves the path. A missing directory is refused, or created so that only its owner can read it.
    ///
    /// - Parameter name: The name of the file in messages; `nil` for its path.
    init(_ given: String, as name: String? = nil, makingFolder: Bool = false) throws(StoreError) {
        self.given = name ?? given
        if let whole = Self.resolve(given) {
            path = whole
            return
        }
        let slash = given.lastIndex(of: "/")
        let last = slash.map { String(given[given.index(after: $0)...]) } ?? given
        guard !last.isEmpty, last != ".", last != ".." else {
            throw StoreError(.cannotOpen, "Cannot open '\(self.given)': it names no file")
        }
        let directory = slash.map { $0 == given.startIndex ? "/" : String(given[..<$0]) } ?? "."
        if makingFolder { try Self.makeDirectory(directory, for: self.given) }
        guard let parent = Self.resolve(directory) else {
            guard errno == ENOENT else { throw Self.failure(self.given, errno) }
            throw StoreError(
                .cannotOpen,
                "Cannot open '\(self.given)': there is no folder '\(directory)'; make it, or correct the path")
        }
        path = parent == "/" ? "/" + last : parent + "/" + last
    }

    /// Resolves the path of an existing file; creates nothing.
    ///
    /// - Parameter name: The name of the file in messages; `nil` for its path.
    init(existing given: String, as name: String? = nil) throws(StoreError) {
        self.given = name ?? given
        guard let whole = Self.resolve(given) else { throw Self.failure(self.given, errno) }
        path = whole
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func makeDirectory(_ directory: String, for given: String) throws(StoreError) {
        var end = directory.startIndex
        while end != directory.endIndex {
            let next = directory.index(after: end)
            end = directory[next...].firstIndex(of: "/") ?? directory.endIndex
            guard mkdir(String(directory[..<end]), 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw failure(given, errno, "its directory cannot be created: ")
            }
            try flushParent(of: directory[..<end], for: given)
        }
    }

    /// Makes the entry of a new directory durable.
    private static func flushParent(of directory: Substring, for given: String) throws(StoreError) {
        let parent = directory.lastIndex(of: "/").map { $0 == directory.startIndex ? "/" : String(directory[..<$0]) }
        try flushDirectory(parent ?? ".", for: given)
    }

    /// Flushes a file to the disk.
    static func flush(_ path: String, for given: String) throws(StoreError) {
        try flush(openPresent(path, O_RDONLY, for: given), path, for: given)
    }

    /// Flushes a directory: the names in it.
    static func flushDirectory(_ path: String, for given: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(given, errno, "'\(path)': ") }
        try flush(descriptor, path, for: given)
    }

    private static func flush(_ descriptor: CInt, _ path: String, for given: String) throws(StoreError) {
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(given, errno, "'\(path)': ") }
    }

    /// Removes the index of the log, which SQLite creates again when it needs one.
    func removeIndex() {
        unlink(index)
    }

    /// Removes files; ignores missing files.
    static func remove(_ paths: [String]) {
        for path in paths { unlink(path) }
    }

    /// Returns the size of a file in bytes; `nil` if there is no file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The identity of a file, which stays the same while the file is neither moved nor replaced.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    /// Returns the file that the path names now, and the number of its names; `nil` if there is no file.
    func identity() -> (identity: Identity, names: Int)? { Self.identity(of: path) }

    /// Returns the file that a path names now, and the number of its names; `nil` if there is no file.
    static func identity(of path: String) -> (identity: Identity, names: Int)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)), Int(status.st_nlink))
    }

    /// Refuses a file with several names: each name would have a lock and a write-ahead log of its own.
    func refuseSeveralNames() throws(StoreError) {
        guard let names = identity()?.names, names > 1 else { return }
        throw StoreError(
            .cannotOpen,
            "Cannot open '\(given)': the file has \(names) names (hard links), and each would have its own lock and "
                + "log; remove the others")
    }

    /// Returns the error of a system call on this file.
    static func failure(_ given: String, _ code: CInt, _ what: String = "") -> StoreError {
        StoreError("Cannot open '\(given)': \(what)", code)
    }
}
