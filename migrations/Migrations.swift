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
        PackageResources.V0001_initial_sql + PackageResources.V0001_journal_sql,
        PackageResources.V0002_effects_sql,
        PackageResources.V0003_tally_settings_sql,
        PackageResources.V0004_redaction_sql,
        PackageResources.V0005_purge_sql,
        PackageResources.V0006_bulk_sql,
        PackageResources.V0007_place_sql,
        PackageResources.V0008_views_sql,
        PackageResources.V0009_change_sql,
    ].enumerated().map { Migration(version: Int64($0 + 1), sql: String(decoding: $1, as: UTF8.self)) }
}
