import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The paths of one store: the file and what lies beside it.
struct StoreFile: Sendable {
    /// As the caller named it, for messages.
    let given: String
    /// With links resolved, so that two names of one file share one lock and one write-ahead log.
    let path: String

    var wal: String { path + "-wal" }
    var index: String { path + "-shm" }
    var rollbackJournal: String { path + "-journal" }
    /// Held by the process that has the store open; stays when it is closed, because removing it would race.
    var lock: String { path + ".lock" }
    /// The begins of attempts that have no end. A help that may be missing; see ``BegunFile``.
    var begun: String { path + ".begun" }
    /// Where a new store is built.
    var creating: String { path + ".creating" }
    /// Where a backup is copied to before it takes the place of the database.
    var restoring: String { path + ".restoring" }
    /// Keeps when somebody last took care of the store.
    var upkeep: String { path + ".upkeep" }
    /// What the names begin with under which restores keep the databases that they replace.
    var replacedPrefix: String { path + ".replaced-" }

    var directory: String {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Resolves the path. A directory that is missing is refused, or created, readable by its owner only.
    init(_ given: String, makingFolder: Bool = false) throws(StoreError) {
        self.given = given
        if let whole = Self.resolve(given) {
            path = whole
            return
        }
        let slash = given.lastIndex(of: "/")
        let name = slash.map { String(given[given.index(after: $0)...]) } ?? given
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StoreError(.cannotOpen, "Cannot open '\(given)': it names no file")
        }
        let directory = slash.map { $0 == given.startIndex ? "/" : String(given[..<$0]) } ?? "."
        if makingFolder { try Self.makeDirectory(directory, for: given) }
        guard let parent = Self.resolve(directory) else {
            guard errno == ENOENT else { throw Self.failure(given, errno) }
            throw StoreError(
                .cannotOpen, "Cannot open '\(given)': there is no folder '\(directory)'; make it, or correct the path")
        }
        path = parent == "/" ? "/" + name : parent + "/" + name
    }

    /// Resolves the path of a file that must be there; creates nothing.
    ///
    /// - Parameter name: What messages call it; nil for its path.
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

    /// Removes the index of the log, which SQLite makes again when it needs one.
    func removeIndex() {
        unlink(index)
    }

    /// Removes files, those that are not there any more without a word.
    static func remove(_ paths: [String]) {
        for path in paths { unlink(path) }
    }

    /// How many bytes a file has; nil when it is not there.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Which file a path names: it stays the same while the file is neither moved nor replaced.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    /// The file that the path names now, and how many names it has; nil when there is none.
    func identity() -> (identity: Identity, names: Int)? { Self.identity(of: path) }

    /// The file that a path names now, and how many names it has; nil when there is none.
    static func identity(of path: String) -> (identity: Identity, names: Int)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return (Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)), Int(status.st_nlink))
    }

    /// Refuses a file with several names: each would have a lock and a write-ahead log of its own.
    func refuseSeveralNames() throws(StoreError) {
        guard let names = identity()?.names, names > 1 else { return }
        throw StoreError(
            .cannotOpen,
            "Cannot open '\(given)': the file has \(names) names (hard links), and each would have its own lock and "
                + "log; remove the others")
    }

    /// What the system said about this file.
    static func failure(_ given: String, _ code: CInt, _ what: String = "") -> StoreError {
        StoreError("Cannot open '\(given)': \(what)", code)
    }
}
