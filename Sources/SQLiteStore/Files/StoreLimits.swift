/// The bounds of the SQLite store, each with its unit and its reason.
package struct StoreLimits: Sendable {
    /// Read-only connections: reads that can run at the same moment.
    package var readers = 4
    /// Reads that run or wait; one more is refused. Keeps a burst from queueing for longer than its clients wait.
    package var waitingReads = 1_000
    /// KiB of page cache of the writing connection; the hot instances' pages should fit.
    package var writerCacheKiB = 32 * 1024
    /// KiB of page cache of each reading connection.
    package var readerCacheKiB = 2 * 1024
    /// Milliseconds that a statement waits for a lock. Only a foreign process (a `sqlite3` shell) can hold one.
    package var busyMilliseconds = 100
    /// Bytes of one value, and of one row, that the writer takes: SQLite's own bound (https://sqlite.org/limits.html),
    /// which can only be lowered. The command that needs more fails, and no other.
    package var valueBytes: CInt = 1_000_000_000
    /// Frames in the write-ahead log from which on it is moved into the file between batches.
    package var passiveFrames = 4_000
    /// Frames that must be added before a checkpoint that could not finish is tried again.
    package var passiveStepFrames = 1_000
    /// Frames from which on new reads wait until the log can start over; 16,000 frames are about 64 MB.
    package var restartFrames = 16_000
    /// The number of frames from which on the log's file is also cut.
    package var truncateFrames = 20_000
    /// The bytes that the log's file keeps when the log starts over. A log that starts over in time is smaller, so only
    /// a peak is cut off.
    package var logBytes: Int64 = 68 << 20
    /// The pause between attempts to let a log start over that a reader holds.
    package var logPause: Duration = .seconds(10)
    /// The free pages that the file keeps: `keptPages`, or one in `pagesOfKept` pages when that is more. wfd gives
    /// pages back when more than twice as many are free.
    package var keptPages: Int64 = 256
    package var pagesOfKept: Int64 = 16
    /// The first and the longest pause between attempts to empty the log of erased data while another program reads.
    /// Each pause is twice the one before. An attempt takes `busyMilliseconds` of the writer's time.
    package var emptyingPause: Duration = .milliseconds(200)
    package var longestEmptyingPause: Duration = .seconds(2)
    /// How long the writer waits for reads to end, and a read for the writer.
    package var gateWait: Duration = .seconds(5)
    /// Rows read in one slice, which is one read transaction.
    package var sliceRows = 2_000
    /// How long a slice reads before it ends early; leaves room below the 50 ms that a read transaction may last.
    package var sliceDuration: Duration = .milliseconds(20)
    /// The same while events come, which want its core.
    package var busySliceDuration: Duration = .milliseconds(1)
    /// Rows read for one page of a list; a page that filters may come back short.
    package var pageRows = 20_000
    /// Bytes of state in one page of a list, or of data in one page of a history, about: many callers may hold one.
    package var pageBytes = 1024 * 1024
    /// Rows read for names to suggest.
    package var suggestionRows = 2_000
    /// Rows in one answer about a history: a page of 500, and those before it from the nearest snapshot on.
    package var historyRows = 1_000
    /// Journal rows whose digests are checked at start.
    package var tailRows = 4_096
    /// Pages that a backup copies in one call; several calls fit a slice of 0.5 ms.
    package var backupStepPages: CInt = 64
    /// KiB of page cache of a backup's copy: what is in it at its end is written in one go.
    package var backupCacheKiB = 512
    /// Steps of a backup that bring it no further: SQLite begins it again when another process writes to the file.
    package var backupSetbacks = 100
    /// Bytes that must be left on the disk beside a backup, so that it never stops the daemon.
    package var backupReserveBytes: Int64 = 64 << 20
    /// Bytes of a backup that are flushed at once: what a commit may have to wait for.
    package var backupFlushBytes = 256 << 10
    /// Bytes that are read and written at once when a file is copied.
    package var copyPartBytes = 1 << 20

    /// Bytes that must be left on the disk before it counts as one that takes events again.
    package var probeBytes: Int64 = 256 << 10

    package init() {}
}
