import CSQLiteMemory

/// How SQLite takes memory, in the whole process.
package enum SQLiteMemory {
    private static let isUncounted = sqlite_memory_stop_counting() == 0

    /// Lets SQLite no longer count what it takes: nobody here asks, and the lock around the count is one for all
    /// connections, so that the writer would meet every reader there. Alone it takes a tenth of the time of a batch.
    /// Without effect once the process has used SQLite.
    package static func stopCounting() {
        _ = isUncounted
    }
}
