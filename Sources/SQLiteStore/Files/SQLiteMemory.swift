import CSQLiteMemory

/// The memory management of SQLite, in the whole process.
package enum SQLiteMemory {
    private static let isUncounted = sqlite_memory_stop_counting() == 0

    /// Stops SQLite from counting its memory. Nobody here reads the count. One lock around the count is shared by all
    /// connections, so the writer would wait for every reader there. Even uncontended, the lock takes a tenth of the
    /// time of a batch. The call has no effect once the process has used SQLite.
    package static func stopCounting() {
        _ = isUncounted
    }
}
