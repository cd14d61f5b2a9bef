import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl history`.
struct History: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the history of an instance.",
        discussion: """
            $ wfctl history order-1042 --follow --limit 20
            $ wfctl history order-1042 --after 4 -o batch > later.jsonl

            '-o batch' prints the events that callers sent, with new keys, in the form that 'wfctl send --batch' \
            reads.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @Flag(
        help: """
            Continue to print new rows until the instance is done or cancelled; wait up to a minute for a restarting \
            wfd.
            """)
    var follow = false

    @Flag(help: "Show the newest rows first.")
    var reverse = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most this many rows; with --follow: begin with the newest n.", valueName: "n"))
    var limit: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("Show only rows after this seq.", valueName: "seq"))
    var after: Int64?

    @Option(parsing: .unconditional, help: ArgumentHelp("Show only rows from this seq on.", valueName: "seq"))
    var from: Int64?

    @Flag(help: "Show how late each row was, and the exited and entered states.")
    var detail = false

    @Flag(help: "Show the key of each event.")
    var keys = false

    @Flag(help: "Show who sent each event, if wfd knows.")
    var actors = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Least.check("--limit", limit)
        try Least.check("--after", after, least: 0)
        try Least.check("--from", from)
        if after != nil, from != nil { throw ValidationError("'--from' and '--after' exclude each other") }
        if follow, reverse { throw ValidationError("'--follow' does not go with '--reverse'") }
        if follow, global.format == .json {
            throw ValidationError("'--follow' prints rows as they come, and '-o json' one document; use '-o jsonl'")
        }
        if global.format == .batch, follow || reverse || detail {
            throw ValidationError(
                "'-o batch' accepts only '--after', '--from' and '--limit': 'wfctl send' reads its lines")
        }
    }

    /// The seq after which the rows begin; `nil` for all.
    private var place: Int64? { from.map { $0 - 1 } ?? after }

    func run(in session: Session) async throws {
        if global.format == .batch { return try await printBatch(in: session) }
        let wanted =
            Self.columns(isShort: !global.wide) + (keys ? Self.keyColumns : []) + (actors ? Self.actorColumns : [])
            + (detail ? Self.detailColumns : [])
        var printer = ListPrinter(session, columns: wanted, isLive: follow)
        try await session.withClient { client in
            if follow {
                try await printNew(of: client, to: &printer)
            } else {
                try await PageWalk(limit: limit).run(address: client.address) { size, page in
                    try await client.history(
                        ofInstance: instance,
                        .init(limit: size, after: place, reverse: reverse, page: page, detail: detail))
                } print: {
                    try printer.add($0)
                }
            }
        }
        try printer.end()
    }

    /// Prints the events that callers sent, in a form that can be sent again.
    private func printBatch(in session: Session) async throws {
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.history(ofInstance: instance, .init(limit: size, after: place, page: page))
            } print: { rows in
                for row in rows where row.kind == "event" {
                    let line = BatchLine(
                        instance: instance, event: row.event, data: row.data, key: session.environment.makeKey())
                    try session.write(json: JSONWriter.string(line) + "\n")
                }
            }
        }
    }

    private func printNew(of client: WorkflowClient, to printer: inout ListPrinter<HistoryItem>) async throws {
        let newest = try await newest(of: client)
        try printer.add(newest)
        let rows =
            if let last = newest.last {
                client.followHistory(ofInstance: instance, afterRow: last, detail: detail)
            } else {
                client.followHistory(ofInstance: instance, after: place ?? 0, detail: detail)
            }
        for try await item in rows { try printer.add([item]) }
    }

    /// Returns the rows that `--limit` selects, in order; none without `--limit`.
    private func newest(of client: WorkflowClient) async throws -> [HistoryItem] {
        guard let limit else { return [] }
        var rows: [HistoryItem] = []
        try await PageWalk(limit: limit).run(address: client.address) { size, page in
            try await client.history(
                ofInstance: instance, .init(limit: size, after: place, reverse: true, page: page, detail: detail))
        } print: {
            rows += $0
        }
        return rows.reversed()
    }

    private static func columns(isShort: Bool) -> [Table<HistoryItem>.Column] {
        [
            .init("SEQ", width: 4) { String($0.seq) },
            .time("AT") { $0.at },
            .init("KIND", width: 7, style: { StateText.style(ofKind: $0.kind) }) { row in
                row.retry == true ? "\(row.kind) again" : row.kind
            },
            .init("EVENT", width: 12, cut: .last) { row in
                isShort ? EventText.short(row.event, states: row.from) : row.event
            },
            .init("FROM", width: 16, cut: .second, style: .state) { StateText.leaves($0.from) },
            .init("TO", width: 16, cut: .second, style: .state) { StateText.leaves($0.to) },
            .init("DATA", cut: .first, style: { $0.kind == "failed" ? .bad : nil }) {
                $0.redacted == true
                    ? StateText.redacted
                    : StateText.data(
                        $0.kind == "reset" ? resetData($0.data?.object) : $0.data, note: $0.note)
            },
        ]
    }

    /// Returns the printed part of a reset's data: the target, or the milliseconds by which a clock was ahead. The data
    /// has the whole instance.
    private static func resetData(_ data: JSONObject?) -> JSONValue? {
        for key in ["clock", "to"] {
            if let value = data?[key] { return [key: value] }
        }
        return nil
    }

    private static let keyColumns: [Table<HistoryItem>.Column] = [.init("KEY", width: 4, cut: .last) { $0.key ?? "-" }]

    private static let actorColumns: [Table<HistoryItem>.Column] = [.init("ACTOR", width: 5) { $0.actor ?? "-" }]

    private static let detailColumns: [Table<HistoryItem>.Column] = [
        .init("LATE", width: 4) { row in
            row.realAt.map { DurationText.text(milliseconds: $0.milliseconds - row.at.milliseconds) } ?? "-"
        },
        .init("EXITED", cut: .second, style: .state) { StateText.leaves($0.exited ?? []) },
        .init("ENTERED", cut: .second, style: .state) { StateText.leaves($0.entered ?? []) },
    ]
}
