import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl stats`.
struct Stats: Verb {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show how long instances stay in each state, and which transitions they take.",
        discussion: """
            $ wfctl stats order --since 30d

            wfd counts the rows of the machine's instances. The first request reads the whole journal, later ones only \
            rows since then. P50 and P95 are the times that 50 % and 95 % of the ended stays did not exceed, at most \
            3.2 % off. LONGEST NOW is the instance that entered the state first and is still in it.
            """)

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var machine: String

    @Option(
        help: ArgumentHelp(
            "Count rows since then: 30d (30 days ago), 2026-07-31 or 2026-07-31T09:30:00Z. A long span begins up to "
                + "4 % earlier, on a whole minute, hour or day.", valueName: "time"))
    var since: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Count only rows of this version.", valueName: "version"))
    var version: Int64?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try SinceText.check(since)
        try Least.check("--version", version)
    }

    func run(in session: Session) async throws {
        let since = try await SinceText.time(of: since, in: session)
        var progress = Progress(session, unit: .things("rows"))
        let stats = try await session.withClient { client in
            while true {
                let stats = try await client.stats(machine, .init(since: since, version: version))
                if stats.complete { return stats }
                let now = stats.progress
                let isRead = now.done >= now.total
                try progress.show(isRead ? "searching instances," : "reading", done: now.done, total: now.total)
            }
        }
        try progress.end()
        try session.print(stats) { StyledText(lines: Self.text(of: stats, on: session.screen)) }
    }

    private static func text(of stats: MachineStats, on screen: Screen) -> String {
        var states = Table(Self.states, on: screen)
        var transitions = Table(Self.transitions, on: screen)
        var failures = Table(Self.failures, on: screen)
        var parts = [states.lines(for: stats.states), transitions.lines(for: stats.transitions)]
        if !stats.failures.isEmpty { parts.append(failures.lines(for: stats.failures)) }
        let since = stats.since.map { " since \($0.text)" } ?? ""
        parts.append("\(stats.rows) rows\(since)\n" + (stats.others.map(Self.others) ?? ""))
        return parts.joined(separator: "\n")
    }

    private static func others(_ others: OtherStats) -> String {
        "not listed: \(others.states) rows with other states, \(others.transitions) with other transitions, "
            + "\(others.failures) with other failures\n"
    }

    private static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "-" }
        return milliseconds < 1_000 ? "\(milliseconds)ms" : DurationText.rough(milliseconds: milliseconds)
    }

    private static let states: [Table<StateStats>.Column] = [
        .init("STATE", cut: .second, style: .state) { $0.state },
        .init("VISITS") { String($0.visits) },
        .init("STAYS") { String($0.stays) },
        .init("P50") { time($0.p50InMilliseconds) },
        .init("P95") { time($0.p95InMilliseconds) },
        .init("LONGEST NOW") { stats in
            stats.longest.map { "\($0.instance) \(DurationText.rough(milliseconds: $0.sinceInMilliseconds))" } ?? "-"
        },
    ]

    private static let transitions: [Table<TransitionStats>.Column] = [
        .init("COUNT") { String($0.count) },
        .init("EVENT", cut: .last) { $0.event },
        .init("FROM", cut: .second, style: .state) { StateText.leaves($0.from) },
        .init("TO", cut: .second, style: .state) { StateText.leaves($0.to) },
    ]

    private static let failures: [Table<FailureStats>.Column] = [
        .init("FAILED", style: .bad) { String($0.count) },
        .init("EVENT", cut: .last) { $0.event },
        .init("AT", cut: .second) { item in
            [item.state.map { $0.isEmpty ? "machine" : $0 }, item.line.map { "line \($0)" }].compactMap(\.self)
                .joined(separator: ", ")
        },
        .init("WHY", cut: .first) { $0.message ?? StateText.redacted },
    ]
}
