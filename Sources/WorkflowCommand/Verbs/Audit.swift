import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl audit`.
struct Audit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List deleted instances, latest first.",
        discussion: """
            $ wfctl audit --limit 20

            The list contains no names. UUID identifies the instance; DIGEST is the digest of the last row of its \
            history.
            """)

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many lines.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        try await session.printList(limit: limit, columns: Self.columns) { client, size, page in
            try await client.audit(.init(limit: size, page: page))
        }
    }

    private static let columns: [Table<AuditItem>.Column] = [
        .time("AT") { $0.at },
        .init("UUID") { $0.uuid },
        .init("MACHINE") { $0.machine ?? "-" },
        .init("VERSION") { $0.version.map(String.init) ?? "-" },
        .init("ROWS") { String($0.rows) },
        .init("DIGEST") { String($0.digest.prefix(12)) },
        .init("ACTOR") { $0.actor ?? "-" },
        .init("REASON") { $0.reason ?? "-" },
    ]
}
