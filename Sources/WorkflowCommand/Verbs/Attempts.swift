import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl attempts`.
struct Attempts: Verb {
    static let configuration = CommandConfiguration(
        commandName: "attempts", abstract: "Show the failed and late attempts at an instance's effects.",
        discussion: """
            $ wfctl attempts order-1042

            The attempts of finished effects are included; the newest effects come first. SEQ is the history row that \
            began the effect. wfd keeps the first 10 and the last 90 attempts of each effect. 'wfctl effects' shows \
            the unfinished effects.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many attempts.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        try await session.printList(limit: limit, columns: Self.columns, spare: Self.why) { client, size, page in
            try await client.attempts(of: instance, .init(limit: size, page: page))
        }
    }

    private static let columns: [Table<AttemptItem>.Column] =
        [
            .init("SEQ") { String($0.seq) },
            .init("ID") { $0.id ?? "-" },
        ] + AttemptColumns.all(\.attempt)

    private static let why = AttemptColumns.why(\AttemptItem.attempt)
}

/// The columns of an attempt in tables.
enum AttemptColumns {
    /// Returns all columns but the reason of the failure.
    static func all<Row>(_ attempt: @escaping @Sendable (Row) -> EffectItem.Attempt) -> [Table<Row>.Column] {
        [
            .init("ATTEMPT") { String(attempt($0).attempt) },
            .time("BEGUN") { attempt($0).begun },
            .init("TOOK") { row in
                let (begun, ended) = (attempt(row).begun, attempt(row).ended)
                return DurationText.text(milliseconds: ended.milliseconds - begun.milliseconds)
            },
            .init("OUTCOME", style: .bad) { attempt($0).outcome },
        ]
    }

    static func why<Row>(_ attempt: @escaping @Sendable (Row) -> EffectItem.Attempt) -> Table<Row>.Column {
        .init("WHY", cut: .first) { ErrorWords.message(of: attempt($0).error) }
    }
}
