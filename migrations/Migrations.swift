/// One step of the schema.
package struct Migration: Sendable {
    /// The schema version that it leads to (`PRAGMA user_version`): 1, 2, … without gaps.
    package let version: Int64
    /// SQL statements, run in one transaction.
    package let sql: String

    package init(version: Int64, sql: String) {
        self.version = version
        self.sql = sql
    }
}

/// The schema of the store, step by step. A released step never changes.
package enum Migrations {
    /// All steps, in the order of their versions.
    package static let all: [Migration] = [
        Migration(
            version: 1,
            sql: [PackageResources.V0001_initial_sql, PackageResources.V0001_journal_sql]
                .map { String(decoding: $0, as: UTF8.self) }.joined()),
        Migration(version: 2, sql: String(decoding: PackageResources.V0002_effects_sql, as: UTF8.self)),
        Migration(
            version: 3,
            sql: [
                PackageResources.V0003_operators_sql, PackageResources.V0003_purge_sql, PackageResources.V0003_bulk_sql,
                PackageResources.V0003_place_sql,
            ]
            .map { String(decoding: $0, as: UTF8.self) }.joined()),
    ]
}
