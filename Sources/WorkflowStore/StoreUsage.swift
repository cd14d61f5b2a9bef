/// The space that a store uses on a disk.
package struct StoreUsage: Sendable, Equatable {
    /// The size of the file in bytes.
    package let file: Int64
    /// The number of the file's pages as of the last commit.
    package let pages: Int64
    /// The number of these pages that are free.
    package let freePages: Int64
    /// The size of the write-ahead log in bytes.
    package let log: Int64
    /// The number of bytes left on the disk; `nil` if unknown.
    package let free: Int64?
    /// The reader that keeps the log from restarting; `nil` if there is none.
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

/// A reader that keeps the write-ahead log from restarting, so that the log grows with every commit.
package struct LogHold: Sendable, Equatable {
    /// The time at which the reader was first found; the reader may have begun earlier.
    package let since: ContinuousClock.Instant
    /// True if the reader is another process.
    package let isForeign: Bool

    package init(since: ContinuousClock.Instant, isForeign: Bool) {
        self.since = since
        self.isForeign = isForeign
    }

    /// Returns the minimum age of the reader.
    package func age(at now: ContinuousClock.Instant) -> Duration { max(.zero, now - since) }
}
