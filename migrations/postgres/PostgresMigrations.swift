/// The schema of a store on PostgreSQL, step by step. A released step never changes.
package enum PostgresMigrations {
    /// The SQL statements of all steps, in the order of their versions, which begin with 1.
    package static let all: [String] = [
        PackageResources.V0001_initial_sql + PackageResources.V0001_journal_sql + PackageResources.V0001_effects_sql
            + PackageResources.V0001_operators_sql
    ].map { String(decoding: $0, as: UTF8.self) }
}
