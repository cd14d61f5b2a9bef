import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl effects`.
struct Effects: Verb {
    static let configuration = CommandConfiguration(
        commandName: "effects", abstract: "Show what instances ask of the world.",
        discussion: """
            $ wfctl effects order-1042

            Of one instance with the attempts that failed, or of all. A queue of tasks is named alone or as task:NAME. \
            While a worker has a task, it is due when others get it.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(help: "Only those of this queue.")
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "Only those in this state.", valueName: EffectItem.State.allCases.map(\.rawValue).joined(separator: "|")),
        completion: .list(EffectItem.State.allCases.map(\.rawValue)), transform: Effects.state)
    var state: EffectItem.State?

    @Option(parsing: .unconditional, help: ArgumentHelp("This many at most.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns, spare: Self.why)
        var failed: [FailedAttempt] = []
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.effects(
                    .init(instance: instance, queue: queue, state: state, limit: size, page: page))
            } print: { items in
                try printer.add(items)
                failed += items.flatMap { item in (item.failedAttempts ?? []).map { FailedAttempt(item.id, $0) } }
            }
        }
        try printer.end()
        guard session.format == .table, !failed.isEmpty else { return }
        try session.print("\n")
        var attempts = ListPrinter(session, columns: FailedAttempt.columns)
        try attempts.add(failed)
        try attempts.end()
    }

    private static func state(_ word: String) throws -> EffectItem.State {
        if let state = EffectItem.State(rawValue: word) { return state }
        let words = EffectItem.State.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ValidationError("it must be one of \(words)")
    }

    private static let columns: [Table<EffectItem>.Column] = [
        .init("INSTANCE") { $0.instance },
        .init("ID") { $0.id },
        .init("QUEUE") { $0.queue },
        .init("STATE", style: { $0.state == .failed || $0.state == .held ? .bad : nil }) { $0.state.rawValue },
        .time("DUE") { $0.due },
        .init("ATTEMPTS") { String($0.attempts) },
        .init("WORKER", cut: .second) { $0.worker ?? "-" },
    ]

    private static let why = Table<EffectItem>.Column("WHY", cut: .first) { ErrorWords.text(of: $0.error) }
}

/// An attempt as a row of a table.
private struct FailedAttempt: JSONWritable {
    let id: String
    let attempt: EffectItem.Attempt

    init(_ id: String, _ attempt: EffectItem.Attempt) {
        self.id = id
        self.attempt = attempt
    }

    func write(to writer: inout JSONWriter) { attempt.write(to: &writer) }

    static let columns: [Table<FailedAttempt>.Column] = [
        .init("ID") { $0.id },
        .init("ATTEMPT") { String($0.attempt.attempt) },
        .time("BEGUN") { $0.attempt.begun },
        .init("TOOK") { row in
            DurationText.text(milliseconds: row.attempt.ended.milliseconds - row.attempt.begun.milliseconds)
        },
        .init("OUTCOME", style: .bad) { $0.attempt.outcome },
        .init("WHY", cut: .first) { ErrorWords.message(of: $0.attempt.error) },
    ]
}

/// What the error of an effect says to a person.
private enum ErrorWords {
    /// Type and message; empty for none.
    static func text(of error: JSONValue?) -> String {
        guard let type = error?.object?["type"]?.string else { return message(of: error) }
        let message = message(of: error)
        return message.isEmpty || message == type ? type : "\(type): \(message)"
    }

    static func message(of error: JSONValue?) -> String { error?.object?["message"]?.string ?? "" }
}
