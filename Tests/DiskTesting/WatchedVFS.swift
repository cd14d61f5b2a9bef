import GRDBSQLite
import Synchronization

/// A call of SQLite that reaches the disk, or the memory that stands for it (https://sqlite.org/vfs.html).
package enum DiskCall {
    /// - isNew: The file does not exist yet.
    case open(isNew: Bool)
    case read
    case write(UnsafeRawBufferPointer, at: Int)
    case truncate(to: Int)
    case sync
    /// - isDurable: The folder is flushed too.
    case delete(isDurable: Bool)
    /// Maps a part of the index of the write-ahead log into memory.
    case mapIndex
}

/// An observer of calls, which is notified before each call, on the calling thread.
package protocol DiskWatcher: AnyObject, Sendable {
    /// Returns the result that replaces a call; `nil` to let the call happen.
    func answer(to call: DiskCall, at path: String) -> CInt?
}

/// SQLite's usual file system, with watchers of files by the prefixes of their paths.
///
/// It becomes the default of the process at its first use, and does not affect files without a watcher.
package enum WatchedVFS {
    private struct State {
        var watchers: [(prefix: String, watcher: any DiskWatcher)] = []
        var files: [UInt: File] = [:]
    }

    private struct File {
        let path: String
        let watchers: [any DiskWatcher]
    }

    private static let state = Mutex(State())

    /// Reports all calls to files whose paths begin with `prefix` to a watcher. Must be called before they are opened.
    package static func watch(_ prefix: String, _ watcher: any DiskWatcher) {
        _ = installed
        state.withLock { $0.watchers.append((prefix, watcher)) }
    }

    /// Removes a watcher; files that are open continue to report to it.
    package static func forget(_ watcher: any DiskWatcher) {
        state.withLock { $0.watchers.removeAll { $0.watcher === watcher } }
    }

    fileprivate static func answer(to call: DiskCall, at path: String) -> CInt? {
        first(of: state.withLock { watchers(of: path, $0) }, call, path)
    }

    fileprivate static func answer(to call: DiskCall, of file: UnsafeMutablePointer<sqlite3_file>?) -> CInt? {
        guard let known = state.withLock({ $0.files[UInt(bitPattern: file)] }) else { return nil }
        return first(of: known.watchers, call, known.path)
    }

    /// Records an open file; false if it has no watcher.
    fileprivate static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) -> Bool {
        state.withLock { state in
            let watchers = watchers(of: path, state)
            state.files[UInt(bitPattern: file)] = watchers.isEmpty ? nil : File(path: path, watchers: watchers)
            return !watchers.isEmpty
        }
    }

    fileprivate static func closed(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        _ = state.withLock { $0.files.removeValue(forKey: UInt(bitPattern: file)) }
    }

    private static func watchers(of path: String, _ state: State) -> [any DiskWatcher] {
        state.watchers.filter { path.hasPrefix($0.prefix) }.map(\.watcher)
    }

    /// Notifies all watchers without a lock, because one of them may hold the caller up. Returns the result of
    /// the last one that replaces the call.
    private static func first(of watchers: [any DiskWatcher], _ call: DiskCall, _ path: String) -> CInt? {
        watchers.reduce(nil) { answer, watcher in watcher.answer(to: call, at: path) ?? answer }
    }

    private static let installed: Bool = {
        guard let usual = sqlite3_vfs_find(nil) else { return false }
        let watched = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        watched.initialize(to: usual.pointee)
        watched.pointee.zName = UnsafePointer(watchedName)
        watched.pointee.xOpen = { _, name, file, flags, outFlags in openWatched(name, file, flags, outFlags) }
        watched.pointee.xDelete = { _, name, syncsFolder in deleteWatched(name, syncsFolder) }
        originalVFS = usual
        return sqlite3_vfs_register(watched, 1) == SQLITE_OK
    }()
}

// SQLite keeps these pointers for the life of the process. They are set once, by `WatchedVFS.installed` and by the
// first file that is opened, before anything reads them.
private nonisolated(unsafe) var originalVFS: UnsafeMutablePointer<sqlite3_vfs>?
private nonisolated(unsafe) let watchedName = {
    let name = Array("wfd-watched".utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
    copy.initialize(from: name, count: name.count)
    return copy
}()
/// The copies that replace SQLite's own method tables: one for locked files, and one for logs.
private let tables = Mutex<[MethodTables]>([])

private struct MethodTables: @unchecked Sendable {
    // Both tables are constant once made.
    let original: UnsafePointer<sqlite3_io_methods>
    let watched: UnsafePointer<sqlite3_io_methods>
}

/// Returns the original methods of a file; files with different locking have different ones.
private func original(
    _ file: UnsafeMutablePointer<sqlite3_file>?
) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods)? {
    guard let file, let methods = file.pointee.pMethods else { return nil }
    let known = tables.withLock { tables in tables.first { $0.watched == methods } }
    return known.map { (file, $0.original.pointee) }
}

private func isThere(_ name: UnsafePointer<CChar>) -> Bool {
    var answer: CInt = 0
    let code = originalVFS?.pointee.xAccess(originalVFS, name, SQLITE_ACCESS_EXISTS, &answer)
    return code == SQLITE_OK && answer != 0
}

private func openWatched(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt,
    _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let open = originalVFS?.pointee.xOpen else { return SQLITE_CANTOPEN }
    guard let name, let file else { return open(originalVFS, name, file, flags, outFlags) }
    let path = String(cString: name)
    let isNew = flags & SQLITE_OPEN_CREATE != 0 && !isThere(name)
    if let code = WatchedVFS.answer(to: .open(isNew: isNew), at: path) {
        // SQLite closes what has methods.
        file.pointee.pMethods = nil
        return code
    }
    let code = open(originalVFS, name, file, flags, outFlags)
    guard code == SQLITE_OK, let methods = file.pointee.pMethods, WatchedVFS.opened(file, path) else { return code }
    file.pointee.pMethods = tables.withLock { tables in
        if let known = tables.first(where: { $0.original == methods }) { return known.watched }
        let made = MethodTables(original: methods, watched: watchedMethods(methods))
        tables.append(made)
        return made.watched
    }
    return code
}

private func deleteWatched(_ name: UnsafePointer<CChar>?, _ syncsFolder: CInt) -> CInt {
    guard let delete = originalVFS?.pointee.xDelete, let name else { return SQLITE_IOERR }
    if isThere(name) {
        let call = DiskCall.delete(isDurable: syncsFolder != 0)
        if let code = WatchedVFS.answer(to: call, at: String(cString: name)) { return code }
    }
    return delete(originalVFS, name, syncsFolder)
}

private func watchedMethods(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
    let watched = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    watched.initialize(to: methods.pointee)
    watched.pointee.xClose = { file in
        WatchedVFS.closed(file)
        return original(file).map { $0.methods.xClose($0.file) } ?? SQLITE_IOERR
    }
    watched.pointee.xRead = { file, bytes, count, offset in
        if let code = WatchedVFS.answer(to: .read, of: file) { return code }
        return original(file).map { $0.methods.xRead($0.file, bytes, count, offset) } ?? SQLITE_IOERR
    }
    watched.pointee.xWrite = { file, bytes, count, offset in
        let call = DiskCall.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
        if let code = WatchedVFS.answer(to: call, of: file) { return code }
        return original(file).map { $0.methods.xWrite($0.file, bytes, count, offset) } ?? SQLITE_IOERR
    }
    watched.pointee.xTruncate = { file, size in
        if let code = WatchedVFS.answer(to: .truncate(to: Int(size)), of: file) { return code }
        return original(file).map { $0.methods.xTruncate($0.file, size) } ?? SQLITE_IOERR
    }
    watched.pointee.xSync = { file, flags in
        if let code = WatchedVFS.answer(to: .sync, of: file) { return code }
        return original(file).map { $0.methods.xSync($0.file, flags) } ?? SQLITE_IOERR
    }
    // The index of the log is only in the tables of files that can have one.
    if methods.pointee.iVersion >= 2, methods.pointee.xShmMap != nil {
        watched.pointee.xShmMap = { file, region, size, extend, memory in
            if let code = WatchedVFS.answer(to: .mapIndex, of: file) {
                memory?.pointee = nil
                return code
            }
            return original(file)?.methods.xShmMap(file, region, size, extend, memory) ?? SQLITE_IOERR
        }
    }
    return UnsafePointer(watched)
}
