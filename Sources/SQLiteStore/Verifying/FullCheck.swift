import GRDB
import WorkflowStore

/// All that a file must pass before anybody calls it whole: the one check of `wfctl backup` and of `wfd restore`.
///
/// Only here SQLite compares every page, and rows with their constraints. It does so in one read transaction, so the
/// file must be one that nobody writes to.
struct FullCheck {
    let file: StoreFile
    let limits: StoreLimits

    /// Gives what the file holds, in numbers.
    ///
    /// - Parameter mayGoOn: Told how much was done while SQLite checks, about every millisecond; false ends it.
    /// - Throws: `StoreError` with `damaged` when the file is not what was written; its message says only why.
    func run(
        _ verify: FileVerification, _ mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws -> StoreContents {
        do {
            let opened = try SQLiteFile.open(file, limits)
            do {
                try opened.readers.inspect { database in try checkPages(database, mayGoOn) }
                try await verify(opened)
                let contents = try opened.readers.inspect(contents)
                try opened.close()
                return contents
            } catch {
                // Why it is refused matters, not that closing failed too.
                try? opened.close()
                throw error
            }
        } catch {
            throw damage(error) ?? error
        }
    }

    private func checkPages(_ database: Database, _ mayGoOn: (Int64, Int64) -> Bool) throws {
        try withoutActuallyEscaping(mayGoOn) { mayGoOn in
            let watch = ProgressWatch(total: StoreFile.size(of: file.path) ?? 0, mayGoOn)
            watch.install(on: database)
            defer { watch.remove(from: database) }
            let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") ?? "nothing"
            guard found == "ok" else { throw StoreError(.damaged, "SQLite finds it damaged: \(found)") }
            guard try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil else {
                throw StoreError(.damaged, "rows that others refer to are missing")
            }
        }
    }

    /// Counts, when it has passed what every start checks, too.
    private func contents(_ database: Database) throws -> StoreContents {
        guard let row = try StoreRow.read(database) else {
            throw StoreError(.damaged, "its row in 'store' is missing")
        }
        _ = try TailCheck(file: file, row: row, limit: limits.tailRows).run(database)
        return try StoreContents.read(database, row)
    }

    /// What is wrong with the file, without its name and an advice; nil when the error is about something else.
    private func damage(_ error: any Error) -> StoreError? {
        let failure = StoreError(reading: file.given, error)
        guard failure.code == .damaged || failure.code == .corrupt else { return nil }
        var what = failure.message.replacing("; restore a backup", with: "")
        for beginning in ["Cannot open '\(file.given)': ", "Cannot read '\(file.given)': "]
        where what.hasPrefix(beginning) {
            what.removeFirst(beginning.count)
        }
        return StoreError(.damaged, what)
    }
}
