import GRDB
import WorkflowStore

/// The numbers of a file's pages as of one commit.
struct FilePages: Sendable, Equatable {
    /// The number of all pages of the file.
    var total: Int64
    /// The number of unused pages.
    var free: Int64
    /// The size of a page in bytes.
    var bytes: Int64

    /// Reads the three numbers from the first page.
    static func read(_ database: Database) throws -> FilePages {
        FilePages(
            total: try PreparedStatement.number(database, "PRAGMA page_count"),
            free: try PreparedStatement.number(database, "PRAGMA freelist_count"),
            bytes: try PreparedStatement.number(database, "PRAGMA page_size"))
    }
}

extension FilePages {
    /// Returns the number of pages that are worth giving back. The file keeps some free pages for new data. wfd begins
    /// to give pages back only when twice as many are free, so that pages do not leave and return in turn.
    ///
    /// - Parameter isUnderWay: True if some of these pages were given back already.
    func surplus(_ limits: StoreLimits, isUnderWay: Bool = false) -> Int64 {
        let kept = max(limits.keptPages, total / max(1, limits.pagesOfKept))
        return free > (isUnderWay ? kept : 2 * kept) ? free - kept : 0
    }
}

extension SQLiteWriter {
    /// Gives some free pages at the file's end back to the file system, inside a transaction that its caller begins and
    /// ends (https://sqlite.org/pragma.html#pragma_incremental_vacuum). SQLite moves pages in use there to free pages.
    ///
    /// - Parameter order: The number of pages and the time to spend; `nil` only counts the pages that can be given
    ///   back.
    /// - Returns: True if the file has fewer pages afterwards.
    func shrink(_ order: SweepOrder?, _ backlog: inout PurgeBacklog, _ database: Database) throws -> Bool {
        let before = try FilePages.read(database)
        let surplus = before.surplus(limits, isUnderWay: backlog.freePages > 0)
        backlog.freePages = surplus
        guard surplus > 0, let order else { return false }
        let end = ContinuousClock.now + order.time
        var left = min(Int64(max(1, order.rows)), surplus)
        var shrink = try PreparedStatement(database, "PRAGMA incremental_vacuum")
        // SQLite returns a row after each page.
        try shrink.forEachRow { _ in
            left -= 1
            return left > 0 && ContinuousClock.now < end
        }
        let after = try FilePages.read(database)
        // When SQLite frees no page, wfd does not try again and again.
        backlog.freePages = after.free < before.free ? after.surplus(limits, isUnderWay: true) : 0
        return after.total < before.total
    }
}
