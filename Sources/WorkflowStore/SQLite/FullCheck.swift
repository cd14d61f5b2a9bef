import GRDB
import Migrations

/// Checks a whole file: SQLite's own check, the schema, and every row's digest.
struct FullCheck {
    let file: StoreFile
    /// What messages call it.
    let given: String

    func run(_ database: Database) throws {
        let found = try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") ?? "nothing"
        guard found == "ok" else { throw damage("SQLite finds it damaged: \(found)") }
        do {
            try SchemaSteps(file: file, migrations: Migrations.all).check(database)
            guard let row = try StoreRow.read(database) else { throw damage("its row in 'store' is missing") }
            _ = try TailCheck(file: file, row: row, limit: .max).run(database)
        } catch let error as StoreError {
            if error.code == .olderBuild {
                throw StoreError(
                    .olderBuild,
                    error.message.replacing("Cannot open '\(file.given)'", with: "Cannot restore '\(given)'"))
            }
            throw damage(
                error.message.replacing("Cannot open '\(file.given)': ", with: "").replacing(
                    "; restore a backup", with: ""))
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            throw damage("\(failure)".replacing("; restore a backup", with: ""))
        }
        guard try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil else {
            throw damage("rows that others refer to are missing")
        }
    }

    private func damage(_ what: String) -> StoreError {
        StoreError(.damaged, "'\(given)' is damaged: \(what)")
    }
}
