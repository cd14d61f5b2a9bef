import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl token list`.
struct ListTokens: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens, without their secrets.",
        discussion: """
            $ wfctl token list

            ID stands in the token itself, after 'wfdt_': it tells which token a program has. EXPIRES marks tokens \
            that have expired, and those in the last tenth of their life, at most 14 days before the end. OVERLAP is \
            the time until which the secret before a rotation is still accepted.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns)
        let page = try await session.withClient { client in try await client.tokens() }
        try printer.add(page.items)
        try printer.end()
    }

    private static let columns: [Table<TokenItem>.Column] = [
        .init("NAME") { $0.name },
        .init("ID") { $0.id },
        .init("ROLES") { item in
            item.roles.map(\.rawValue).joined(separator: ",") + (item.speaksFor == true ? " (speaks for)" : "")
        },
        .init("QUEUES") { $0.queues?.joined(separator: ",") ?? "-" },
        .time("CREATED") { $0.createdAt },
        .init("BY") { $0.createdBy ?? "-" },
        .init("EXPIRES", style: { $0.expiry == nil ? nil : .bad }) { item in
            (item.expiresAt?.text ?? "-") + (item.expiry.map { " (\($0.rawValue))" } ?? "")
        },
        .init("OVERLAP") { $0.overlapUntil?.text ?? "-" },
    ]
}
