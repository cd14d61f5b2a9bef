import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl audit`.
struct Audit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List deletions, and changes that belong to no instance, latest first.",
        discussion: """
            $ wfctl audit --since 1d
            $ wfctl audit --action apply --actor 'uid:1000(ada)'

            The list shows who applied, activated, suspended or resumed a machine, set its retention or a queue, \
            released effects, began a run over many instances, stopped or resumed it, fetched a backup, moved the \
            clock, changed a token or deleted an instance. Changes of an instance are in its history.

            A deletion has the instance's UUID instead of its name. '--action delete' also shows its machine, the \
            number of its rows, and the digest of the last one.
            """)

    @Option(
        help: ArgumentHelp(
            "Show what was done since then: 1d (a day ago), 2026-07-31 or 2026-07-31T09:30:00Z.",
            valueName: "time"))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Show what this caller did, such as 'uid:1000(ada)'; 'token:sso' also finds 'token:sso(ana)'.",
            valueName: "actor"))
    var actor: String?

    @Option(
        help: ArgumentHelp(
            "Show one action: \(AuditItem.Action.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "action"),
        transform: { try OptionWord.read($0, as: AuditItem.Action.self) })
    var action: AuditItem.Action?

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many lines.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Least.check("--limit", limit)
        try SinceText.check(since)
    }

    func run(in session: Session) async throws {
        let earliest = try await SinceText.time(of: since, in: session)
        let columns = action == .delete ? Self.deletions : Self.columns
        try await session.printList(limit: limit, columns: columns) { client, size, page in
            try await client.audit(.init(action: action, actor: actor, since: earliest, limit: size, page: page))
        }
    }

    private static let columns: [Table<AuditItem>.Column] = [
        .time("AT") { $0.at },
        .init("ACTOR") { $0.actor ?? "-" },
        .init("ACTION") { $0.action.rawValue },
        .init("OBJECT") { item in
            let version = item.action == .apply ? item.version.map { " \($0)" } : nil
            return (item.object ?? item.uuid ?? "-") + (version ?? "")
        },
        .init("REASON", cut: .first) { item in
            let parts = [item.detail, item.reason].compactMap(\.self)
            return parts.isEmpty ? "-" : parts.joined(separator: "; ")
        },
    ]

    private static let deletions: [Table<AuditItem>.Column] = [
        .time("AT") { $0.at },
        .init("UUID") { $0.uuid ?? "-" },
        .init("MACHINE") { $0.machine ?? "-" },
        .init("VERSION") { $0.version.map(String.init) ?? "-" },
        .init("ROWS") { $0.rows.map(String.init) ?? "-" },
        .init("DIGEST") { $0.digest.map { String($0.prefix(12)) } ?? "-" },
        .init("ACTOR") { $0.actor ?? "-" },
        .init("REASON") { $0.reason ?? "-" },
    ]
}
