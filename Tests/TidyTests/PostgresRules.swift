/// Rules for the statements of the store on PostgreSQL.
enum PostgresRules {
    /// The abilities that the store must do without, in lower case. A pooler or a standby lacks some; others keep state
    /// in a session, which ends when its daemon does.
    private static let forbidden = [
        "listen ", "unlisten", "notify", "advisory", "temp table", "temporary", "txid_", "pg_xact", "xact_id", "xid8",
        "xmin", "xmax",
    ]

    /// Finds statements that use a forbidden ability. Comments count too.
    static func abilities(_ file: SourceFile) -> [Finding] {
        guard file.isIn("Sources/PostgresStore") || file.isIn("migrations/postgres") else { return [] }
        return zip(1..., file.lines).flatMap { number, line in
            forbidden.filter { line.lowercased().contains($0) }.map {
                Finding(file.path, line: number, "the store on PostgreSQL does without '\($0)'")
            }
        }
    }
}
