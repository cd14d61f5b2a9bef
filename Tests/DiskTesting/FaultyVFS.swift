import GRDBSQLite
import Synchronization

/// SQLite's usual file system, whose calls can be made to fail.
package enum FaultyVFS {
    /// The calls that reach the disk, and the one that maps the index of the log.
    package enum Call: CaseIterable, Sendable {
        case read, write, sync, truncate, mapIndex
    }

    /// The counts and the planned failure of the files whose paths have the same prefix.
    package struct Plan: Sendable {
        package var calls: [Call: Int] = [:]
        package var bytesWritten = 0
        /// The next of these calls that fails: 1 is the very next. `nil` if none fails.
        package var failing: (calls: Set<Call>, after: Int, code: CInt)?
        package var hasFailed = false
    }

    private static let plans = Mutex<[String: PlannedFaults]>([:])

    /// Watches the files whose paths begin with `prefix`. Must be called before they are opened.
    package static func watch(_ prefix: String) {
        let faults = PlannedFaults()
        plans.withLock { $0[prefix] = faults }
        WatchedVFS.watch(prefix, faults)
    }

    /// Stops watching these files.
    package static func forget(_ prefix: String) {
        if let faults = plans.withLock({ $0.removeValue(forKey: prefix) }) { WatchedVFS.forget(faults) }
    }

    /// Returns the plan of some files with its counts so far.
    package static func plan(_ prefix: String) -> Plan {
        plans.withLock { $0[prefix] }?.plan.withLock { $0 } ?? Plan()
    }

    /// Makes the nth of these calls fail, counted from now; `nil` cancels the failure.
    package static func fail(
        _ prefix: String, _ calls: Set<Call> = [], after count: Int? = nil, code: CInt = SQLITE_IOERR
    ) {
        plans.withLock { $0[prefix] }?.plan.withLock { plan in
            plan.failing = count.map { (calls, $0, code) }
            plan.hasFailed = false
        }
    }
}

/// Counts the calls to some files, and makes one fail.
private final class PlannedFaults: DiskWatcher {
    let plan = Mutex(FaultyVFS.Plan())

    func answer(to call: DiskCall, at path: String) -> CInt? {
        guard let kind = FaultyVFS.Call(call) else { return nil }
        return plan.withLock { plan in
            plan.calls[kind, default: 0] += 1
            if case .write(let bytes, at: _) = call { plan.bytesWritten += bytes.count }
            guard let failing = plan.failing, failing.calls.contains(kind) else { return nil }
            plan.failing?.after -= 1
            guard failing.after == 1 else { return nil }
            plan.failing = nil
            plan.hasFailed = true
            return failing.code
        }
    }
}

extension FaultyVFS.Call {
    /// Creates the planned form of a call; `nil` for a call that no plan counts.
    fileprivate init?(_ call: DiskCall) {
        switch call {
        case .read: self = .read
        case .write: self = .write
        case .sync: self = .sync
        case .truncate: self = .truncate
        case .mapIndex: self = .mapIndex
        case .open, .delete: return nil
        }
    }
}
