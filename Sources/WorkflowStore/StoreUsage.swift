/// The room that a store takes on a disk.
package struct StoreUsage: Sendable, Equatable {
    /// Bytes of the file.
    package let file: Int64
    /// The number of the file's pages as of the last commit.
    package let pages: Int64
    /// The number of these pages that nothing uses.
    package let freePages: Int64
    /// Bytes of its write-ahead log.
    package let log: Int64
    /// Bytes that are left on the disk; nil where nobody can tell.
    package let free: Int64?
    /// The reader that keeps the log from starting over; nil for none.
    package let hold: LogHold?

    package init(file: Int64, pages: Int64, freePages: Int64, log: Int64, free: Int64?, hold: LogHold?) {
        self.file = file
        self.pages = pages
        self.freePages = freePages
        self.log = log
        self.free = free
        self.hold = hold
    }
}

/// A reader that keeps the write-ahead log from starting over, so that the log grows with every commit.
package struct LogHold: Sendable, Equatable {
    /// The time at which the reader was first found; it may have come earlier.
    package let since: ContinuousClock.Instant
    /// True when the reader is another process.
    package let isForeign: Bool

    package init(since: ContinuousClock.Instant, isForeign: Bool) {
        self.since = since
        self.isForeign = isForeign
    }

    /// The least time for which the reader has been there.
    package func age(at now: ContinuousClock.Instant) -> Duration { max(.zero, now - since) }
}
