/// The limits of the SQLite store, each with its unit and its reason.
package struct StoreLimits: Sendable {
    /// The number of read-only connections, which is the number of simultaneous reads.
    package var readers = 4
    /// The number of reads that run or wait; further reads are refused. Keeps a burst from queueing for longer than its
    /// clients wait.
    package var waitingReads = 1_000
    /// The page cache of the writing connection in KiB; the pages of busy instances should fit.
    package var writerCacheKiB = 32 * 1024
    /// The page cache of each reading connection in KiB.
    package var readerCacheKiB = 2 * 1024
    /// The milliseconds that a statement waits for a lock. Only a foreign process (a `sqlite3` shell) can hold one.
    package var busyMilliseconds = 100
    /// The maximum size in bytes of one value, and of one row, that the writer accepts. The number is SQLite's own
    /// limit (https://sqlite.org/limits.html), which can only be lowered. Only the command that needs more fails.
    package var valueBytes: CInt = 1_000_000_000
    /// The number of frames at which the write-ahead log is moved into the file between batches.
    package var passiveFrames = 4_000
    /// The number of frames that the log must grow before an unfinished checkpoint is tried again.
    package var passiveStepFrames = 1_000
    /// The number of frames at which new reads wait until the log can start over; 16,000 frames are about 64 MB.
    package var restartFrames = 16_000
    /// The number of frames at which the log's file is also truncated.
    package var truncateFrames = 20_000
    /// The bytes that the log's file keeps when the log starts over. A log that starts over in time is smaller, so only
    /// a peak is cut off.
    package var logBytes: Int64 = 68 << 20
    /// The pause between attempts to start over a log that a reader holds.
    package var logPause: Duration = .seconds(10)
    /// The free pages that the file keeps: `keptPages`, or one in `pagesOfKept` pages if that number is greater. wfd
    /// gives pages back when more than twice as many are free.
    package var keptPages: Int64 = 256
    package var pagesOfKept: Int64 = 16
    /// The first and the longest pause between attempts to empty the log of erased data while another program reads.
    /// Each pause is twice the one before. An attempt takes `busyMilliseconds` of the writer's time.
    package var emptyingPause: Duration = .milliseconds(200)
    package var longestEmptyingPause: Duration = .seconds(2)
    /// The longest time that the writer waits for reads to end, and that a read waits for the writer.
    package var gateWait: Duration = .seconds(5)
    /// The number of rows read in one slice, which is one read transaction.
    package var sliceRows = 2_000
    /// The longest time that a slice reads; leaves room below the 50 ms that a read transaction may last.
    package var sliceDuration: Duration = .milliseconds(20)
    /// The longest time that a slice reads while events arrive, which need its core.
    package var busySliceDuration: Duration = .milliseconds(1)
    /// The longest time that a slice of a search with a condition reads while events arrive. A thread that carries out
    /// events may have to wait for it; a search has so many slices that one send in a hundred does.
    package var searchSliceDuration: Duration = .microseconds(100)
    /// The number of rows read for one page of a list; a page with a filter may be shorter than requested.
    package var pageRows = 20_000
    /// The time after which a page with a condition ends, whatever it has found; its caller continues with the next.
    package var conditionDuration: Duration = .milliseconds(500)
    /// The approximate bytes of state in a page of a list, or of data in a page of a history. Many callers may hold a
    /// page at once.
    package var pageBytes = 1024 * 1024
    /// The number of rows read for suggestions of names.
    package var suggestionRows = 2_000
    /// The number of rows in one answer about a history: a page of 500, and the rows before it from the nearest
    /// snapshot on.
    package var historyRows = 1_000
    /// The number of journal rows whose digests are checked at start.
    package var tailRows = 4_096
    /// The number of pages that a backup copies in one call; several calls fit a slice of 0.5 ms.
    package var backupStepPages: CInt = 64
    /// The page cache of a backup's copy in KiB; the pages in it at the end of the backup are written at once.
    package var backupCacheKiB = 512
    /// The number of steps of a backup without progress: SQLite restarts a backup when another process writes to the
    /// file.
    package var backupSetbacks = 100
    /// The bytes that must stay free on the disk beside a backup, so that a backup never stops the daemon.
    package var backupReserveBytes: Int64 = 64 << 20
    /// The bytes that must stay free on the disk beside the copy before an upgrade, for the new tables.
    package var upgradeReserveBytes: Int64 = 1 << 20
    /// The bytes of a backup that are flushed at once; a commit may have to wait for this flush.
    package var backupFlushBytes = 256 << 10
    /// The bytes that are read and written at once when a file is copied.
    package var copyPartBytes = 1 << 20

    /// The bytes that must be free on the disk before wfd accepts events again.
    package var probeBytes: Int64 = 256 << 10

    package init() {}
}
