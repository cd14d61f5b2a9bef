import GRDB
import WorkflowMigrations
import WorkflowStore

/// Upgrades the schema, and compares it with the expected one.
struct SchemaSteps {
    let file: StoreFile
    let migrations: [Migration]

    /// The newest schema version.
    var newest: Int64 { migrations.last?.version ?? 0 }

    func version(of database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// Runs every migration after the file's version, each in a transaction of its own. Returns false if there was
    /// none.
    func upgrade(_ database: Database) throws -> Bool {
        let found = try version(of: database)
        let due = migrations.filter { $0.version > found }
        for migration in due {
            do {
                try database.inTransaction(.immediate) {
                    try database.execute(sql: migration.sql)
                    try database.execute(sql: "PRAGMA user_version = \(migration.version)")
                    return .commit
                }
            } catch {
                throw StoreError(
                    "Cannot upgrade '\(file.given)' to schema version \(migration.version)", SQLiteFailure(error),
                    on: file)
            }
        }
        return !due.isEmpty
    }

    /// Compares the schema, word for word, with the schema that the migrations up to the file's version create in an
    /// empty database.
    func check(_ database: Database) throws {
        let version = try version(of: database)
        let wanted = try objects(through: version)
        let found = try objects(database)
        guard found != wanted,
            let difference = Difference(wanted: wanted, found: found, newest: try objects(through: newest))
        else { return }
        throw difference.error(file.given, version)
    }

    /// Returns the objects that the migrations up to a version create in an empty database.
    private func objects(through version: Int64) throws -> [String: String] {
        let reference = try DatabaseQueue()
        let created = try reference.inDatabase { database in
            for migration in migrations where migration.version <= version {
                try database.execute(sql: migration.sql)
            }
            return try objects(database)
        }
        try reference.close()
        return created
    }

    /// Returns the SQL text of every table, index, trigger and view, by kind and name. SQLite's own objects are left
    /// out.
    private func objects(_ database: Database) throws -> [String: String] {
        var objects: [String: String] = [:]
        try database.forEachRow(
            "SELECT type, name, coalesce(sql, '') FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_'"
        ) { row in
            let name = "\(try row.text()) '\(try row.text())'"
            objects[name] = try row.text()
            return true
        }
        return objects
    }

    /// The first difference between a schema and the expected one, in the order of names. A table of ours, of this or a
    /// later version, precedes all other objects.
    private enum Difference {
        case table(String)
        case other(String)

        init?(wanted: [String: String], found: [String: String], newest: [String: String]) {
            let names = Set(wanted.keys).union(found.keys).sorted().filter { wanted[$0] != found[$0] }
            guard let first = names.first else { return nil }
            func what(_ name: String) -> String {
                if found[name] == nil { return "the \(name) is missing" }
                if wanted[name] != nil { return "the \(name) is another one" }
                return newest[name] == nil ? "the \(name) is not ours; drop it" : "the \(name) is of a later schema"
            }
            let table = names.first { newest[$0] != nil && $0.hasPrefix("table ") }
            self = table.map { .table(what($0)) } ?? .other(what(first))
        }

        /// Returns the error for the difference. Builds that were never released wrote other tables under the same
        /// schema number.
        func error(_ given: String, _ version: Int64) -> StoreError {
            switch self {
            case .table(let what):
                StoreError(
                    .olderBuild,
                    "Cannot open '\(given)': it was written by a build of wfd that was never released, or its tables "
                        + "were changed since (\(what)); use that build, restore a backup, or begin with a new file")
            case .other(let what):
                StoreError(
                    .damaged, "Cannot open '\(given)': its schema is not that of version \(version): \(what)")
            }
        }
    }
}
