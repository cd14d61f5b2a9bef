import GRDB
import WorkflowStore

/// The check that a file must pass to count as complete, used by `wfctl backup` and `wfd restore`.
///
/// Only this check makes SQLite compare every page, and rows with their constraints. SQLite does so in one read
/// transaction, so nobody may write to the file.
struct FullCheck {
    let file: StoreFile
    let limits: StoreLimits

    /// Returns the counts of the file.
    ///
    /// - Parameter mayGoOn: Receives the progress about every millisecond while SQLite checks; false ends the check.
    /// - Throws: `StoreError` with `damaged` if the file is not as it was written; its message contains only the
    ///   reason.
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
                // The reason for the refusal matters, not a failure of closing.
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

    /// Returns the counts, after the check that every start makes.
    private func contents(_ database: Database) throws -> StoreContents {
        guard let row = try StoreRow.read(database) else {
            throw StoreError(.damaged, "its row in 'store' is missing")
        }
        _ = try TailCheck(file: file, row: row, limit: limits.tailRows).run(database)
        return try StoreContents.read(database, row)
    }

    /// Returns the damage of the file, without the file's name and without advice; `nil` if the error has another
    /// cause.
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
