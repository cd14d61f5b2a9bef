/// The room that a store takes on a disk.
package struct StoreUsage: Sendable, Equatable {
    /// Bytes of the file.
    package let file: Int64
    /// Pages of the file, as of the last commit.
    package let pages: Int64
    /// Those of them that nothing uses.
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
    /// When the reader was there at the latest: it may have come before.
    package let since: ContinuousClock.Instant
    /// True when another process reads, and not this one.
    package let isForeign: Bool

    package init(since: ContinuousClock.Instant, isForeign: Bool) {
        self.since = since
        self.isForeign = isForeign
    }

    /// How long the reader has been there, at least.
    package func age(at now: ContinuousClock.Instant) -> Duration { max(.zero, now - since) }
}
