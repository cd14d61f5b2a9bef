import GRDBSQLite
import Synchronization

/// SQLite's usual file system, with calls that can be made to fail (https://sqlite.org/vfs.html).
///
/// It becomes the default of the process when it is first used, and does nothing to files without a plan.
enum FaultyVFS {
    /// The calls that reach the disk.
    enum Call: CaseIterable {
        case write, sync, truncate
    }

    /// What is counted, and what goes wrong, for the files whose paths begin in one way.
    struct Plan {
        var calls: [Call: Int] = [:]
        var bytesWritten = 0
        /// The next call of these that fails: 1 is the very next; nil: none does.
        var failing: (calls: Set<Call>, after: Int, code: CInt)?
        var hasFailed = false
    }

    private struct State {
        var plans: [String: Plan] = [:]
        var paths: [UInt: String] = [:]
    }

    private static let state = Mutex(State())

    /// Watches the files whose paths begin with `prefix`. To be called before they are opened.
    static func watch(_ prefix: String) {
        _ = installed
        state.withLock { $0.plans[prefix] = Plan() }
    }

    /// What has happened to the files of a plan since it was made.
    static func plan(_ prefix: String) -> Plan {
        state.withLock { $0.plans[prefix] ?? Plan() }
    }

    /// Makes the nth of these calls fail, counted from now; nil ends that.
    static func fail(_ prefix: String, _ calls: Set<Call> = [], after count: Int? = nil, code: CInt = SQLITE_IOERR) {
        state.withLock { state in
            state.plans[prefix]?.failing = count.map { (calls, $0, code) }
            state.plans[prefix]?.hasFailed = false
        }
    }

    fileprivate static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        state.withLock { $0.paths[UInt(bitPattern: file)] = path }
    }

    /// Counts a call; the code to answer when it has to fail.
    fileprivate static func count(_ call: Call, _ file: UnsafeMutablePointer<sqlite3_file>?, bytes: Int = 0) -> CInt? {
        state.withLock { state in
            guard let path = state.paths[UInt(bitPattern: file)] else { return nil }
            var answer: CInt?
            for prefix in state.plans.keys where path.hasPrefix(prefix) {
                state.plans[prefix]?.calls[call, default: 0] += 1
                state.plans[prefix]?.bytesWritten += bytes
                guard let failing = state.plans[prefix]?.failing, failing.calls.contains(call) else { continue }
                state.plans[prefix]?.failing?.after -= 1
                guard failing.after == 1 else { continue }
                state.plans[prefix]?.failing = nil
                state.plans[prefix]?.hasFailed = true
                answer = failing.code
            }
            return answer
        }
    }

    private static let installed: Bool = {
        guard let usual = sqlite3_vfs_find(nil) else { return false }
        let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        faulty.initialize(to: usual.pointee)
        faulty.pointee.zName = UnsafePointer(faultyName)
        faulty.pointee.xOpen = { _, name, file, flags, outFlags in openFaulty(name, file, flags, outFlags) }
        originalVFS = usual
        return sqlite3_vfs_register(faulty, 1) == SQLITE_OK
    }()
}

// SQLite keeps these pointers for the life of the process. They are set once, by `FaultyVFS.installed` and by the first
// file that is opened, before anything reads them.
private nonisolated(unsafe) var originalVFS: UnsafeMutablePointer<sqlite3_vfs>?
private nonisolated(unsafe) let faultyName = {
    let name = Array("wfd-faulty".utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
    copy.initialize(from: name, count: name.count)
    return copy
}()
/// What SQLite's own tables of methods were replaced by; it has one for files that it locks and one for logs.
private let tables = Mutex<[MethodTables]>([])

private struct MethodTables: @unchecked Sendable {
    // Both are constant once made.
    let original: UnsafePointer<sqlite3_io_methods>
    let faulty: UnsafePointer<sqlite3_io_methods>
}

/// Reading, writing and flushing are the same functions in all tables.
private var originalMethods: UnsafePointer<sqlite3_io_methods>? { tables.withLock { $0.first?.original } }

private func openFaulty(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: CInt,
    _ outFlags: UnsafeMutablePointer<CInt>?
) -> CInt {
    guard let open = originalVFS?.pointee.xOpen else { return SQLITE_CANTOPEN }
    let code = open(originalVFS, name, file, flags, outFlags)
    guard code == SQLITE_OK, let name, let file, let methods = file.pointee.pMethods else { return code }
    FaultyVFS.opened(file, String(cString: name))
    file.pointee.pMethods = tables.withLock { tables in
        if let known = tables.first(where: { $0.original == methods }) { return known.faulty }
        let made = MethodTables(original: methods, faulty: faultyMethods(methods))
        tables.append(made)
        return made.faulty
    }
    return code
}

private func faultyMethods(_ original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
    let faulty = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    faulty.initialize(to: original.pointee)
    faulty.pointee.xWrite = { file, bytes, count, offset in
        if let code = FaultyVFS.count(.write, file, bytes: Int(count)) { return code }
        return originalMethods?.pointee.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
    }
    faulty.pointee.xSync = { file, flags in
        if let code = FaultyVFS.count(.sync, file) { return code }
        return originalMethods?.pointee.xSync(file, flags) ?? SQLITE_IOERR
    }
    faulty.pointee.xTruncate = { file, size in
        if let code = FaultyVFS.count(.truncate, file) { return code }
        return originalMethods?.pointee.xTruncate(file, size) ?? SQLITE_IOERR
    }
    return UnsafePointer(faulty)
}
