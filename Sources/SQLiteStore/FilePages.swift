import GRDB
import WorkflowStore

/// How a file is divided, in one state of it.
struct FilePages: Sendable, Equatable {
    /// All pages of the file, as of the last commit.
    var total: Int64
    /// Those that nothing uses.
    var free: Int64
    /// The size of a page.
    var bytes: Int64

    /// Reads three numbers of the first page.
    static func read(_ database: Database) throws -> FilePages {
        FilePages(
            total: try PreparedStatement.number(database, "PRAGMA page_count"),
            free: try PreparedStatement.number(database, "PRAGMA freelist_count"),
            bytes: try PreparedStatement.number(database, "PRAGMA page_size"))
    }
}

extension FilePages {
    /// Pages that are worth giving back. The file keeps some for what comes; giving back begins at twice these, so that
    /// pages are not given back and taken again in turn.
    ///
    /// - Parameter isUnderWay: Whether some of them were given back already.
    func surplus(_ limits: StoreLimits, isUnderWay: Bool = false) -> Int64 {
        let kept = max(limits.keptPages, total / max(1, limits.pagesOfKept))
        return free > (isUnderWay ? kept : 2 * kept) ? free - kept : 0
    }
}

extension SQLiteWriter {
    /// Gives some free pages at the file's end back to the file system, inside a transaction that somebody else begins
    /// and ends (https://sqlite.org/pragma.html#pragma_incremental_vacuum). Pages in use there move to free ones.
    ///
    /// - Parameter order: How many, and for how long; nil to find out only what there is to give back.
    /// - Returns: Whether the file has fewer pages afterwards.
    func shrink(_ order: SweepOrder?, _ backlog: inout PurgeBacklog, _ database: Database) throws -> Bool {
        let before = try FilePages.read(database)
        let surplus = before.surplus(limits, isUnderWay: backlog.freePages > 0)
        backlog.freePages = surplus
        guard surplus > 0, let order else { return false }
        let end = ContinuousClock.now + order.time
        var left = min(Int64(max(1, order.rows)), surplus)
        var shrink = try PreparedStatement(database, "PRAGMA incremental_vacuum")
        // It comes back after each page.
        try shrink.forEachRow { _ in
            left -= 1
            return left > 0 && ContinuousClock.now < end
        }
        let after = try FilePages.read(database)
        // What cannot be given back is not tried again and again.
        backlog.freePages = after.free < before.free ? after.surplus(limits, isUnderWay: true) : 0
        return after.total < before.total
    }
}
