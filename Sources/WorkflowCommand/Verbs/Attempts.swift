import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl attempts`.
struct Attempts: Verb {
    static let configuration = CommandConfiguration(
        commandName: "attempts", abstract: "Show the attempts at an instance's effects that failed, or came late.",
        discussion: """
            $ wfctl attempts order-1042

            Also of effects that have ended, the newest effects first. SEQ is the step of the history that began the \
            effect. Of each effect the first 10 and the last 90 attempts are kept. 'wfctl effects' shows what runs.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @Option(parsing: .unconditional, help: ArgumentHelp("This many at most.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns, spare: Self.why)
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.attempts(of: instance, .init(limit: size, page: page))
            } print: { items in
                try printer.add(items)
            }
        }
        try printer.end()
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
