/// What a store takes of a disk.
package struct StoreUsage: Sendable, Equatable {
    /// Bytes of the file.
    package let file: Int64
    /// Bytes of its write-ahead log.
    package let log: Int64
    /// Bytes that are left on the disk; nil where nobody can tell.
    package let free: Int64?

    package init(file: Int64, log: Int64, free: Int64?) {
        self.file = file
        self.log = log
        self.free = free
    }
}
