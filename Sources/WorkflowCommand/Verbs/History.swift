import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl history`.
struct History: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what happened to an instance.")

    @Argument(help: "The instance's name.")
    var instance: String

    @Flag(help: "Go on printing what happens, until interrupted; waits up to a minute for a restarting wfd.")
    var follow = false

    @Flag(help: "Newest first.")
    var reverse = false

    @Option(help: ArgumentHelp("This many at most.", valueName: "n"))
    var limit: Int?

    @Option(help: ArgumentHelp("Only what came after this seq.", valueName: "seq"))
    var after: Int64?

    @Flag(help: "Tell which states were exited and entered.")
    var detail = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Limit.check(limit)
        if let after, after < 0 { throw ValidationError("'--after' must be at least 0, not \(after)") }
        if follow, reverse { throw ValidationError("'--follow' does not go with '--reverse'") }
        if follow, global.format == .json {
            throw ValidationError("'--follow' has no end, and '-o json' prints one document; use '-o jsonl'")
        }
    }

    func run(in session: Session) async throws {
        var printer = ListPrinter(
            session, columns: detail ? Self.columns + Self.detailColumns : Self.columns, isLive: follow)
        try await session.withClient { client in
            if follow {
                try await printNew(of: client, to: &printer)
            } else {
                try await PageWalk(limit: limit).run(address: client.address) { size, page in
                    try await client.history(
                        ofInstance: instance,
                        .init(limit: size, after: after, reverse: reverse, page: page, detail: detail))
                } print: {
                    try printer.add($0)
                }
            }
        }
        try printer.end()
    }

    private func printNew(of client: WorkflowClient, to printer: inout ListPrinter<HistoryItem>) async throws {
        var count = 0
        for try await item in client.followHistory(ofInstance: instance, after: after ?? 0, detail: detail) {
            try printer.add([item])
            count += 1
            if count == limit { return }
        }
    }

    private static let columns: [Table<HistoryItem>.Column] = [
        .init("SEQ", width: 4) { String($0.seq) },
        .init("AT") { $0.at.text },
        .init("KIND", width: 7) { $0.kind },
        .init("EVENT", width: 12) { $0.event },
        .init("FROM", width: 16) { StateText.leaves($0.from) },
        .init("TO", width: 16) { StateText.leaves($0.to) },
        .init("DATA") { StateText.data($0.data, note: $0.note) },
    ]

    private static let detailColumns: [Table<HistoryItem>.Column] = [
        .init("LATE", width: 4) { row in
            row.realAt.map { DurationText.text(milliseconds: $0.milliseconds - row.at.milliseconds) } ?? "-"
        },
        .init("EXITED") { StateText.leaves($0.exited ?? []) },
        .init("ENTERED") { StateText.leaves($0.entered ?? []) },
    ]
}
