import Statechart
import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The part of a machine's page that says how long its instances stay in each state, and which transitions they take.
struct StatsPart {
    /// The most rows of each table.
    private static let shownRows = 200

    /// The spans that the page offers; `all` is no span.
    private static let spans = [
        ("24h", "last 24 hours"), ("7d", "last 7 days"), ("30d", "last 30 days"), ("all", "all"),
    ]

    private let machine: String
    private let version: Int64?
    /// The span that the query asks for; `nil` if it asks for none.
    private let asked: String?
    /// The numbers; `nil` if none are asked for.
    private let stats: Result<MachineStats?, any Error>

    /// Reads the numbers if the query asks for them.
    ///
    /// - Parameter version: The version that the query names; `nil` for all.
    init(_ machine: String, version: Int64?, _ request: PageRequest, _ client: WorkflowClient) async {
        (self.machine, self.version, asked) = (machine, version, request.values("stats").first)
        do {
            stats = .success(try await Self.stats(machine, version, asked, client))
        } catch {
            stats = .failure(error)
        }
    }

    private static func stats(
        _ machine: String, _ version: Int64?, _ asked: String?, _ client: WorkflowClient
    ) async throws -> MachineStats? {
        guard let asked else { return nil }
        guard spans.contains(where: { $0.0 == asked }) else {
            throw ClientError.problem(
                Problem(.invalidParameter, detail: "Parameter 'stats' must be one of 24h, 7d, 30d and all"))
        }
        var parameters = StatsParameters(version: version)
        if asked != "all" { parameters.since = try await SinceText(asked)?.time(from: client) }
        return try await client.stats(machine, parameters)
    }

    /// Returns the numbers for the arrows of a drawing; `nil` if none are asked for.
    func counts(in machine: Machine) -> ArrowCounts? {
        guard case .success(let stats?) = stats else { return nil }
        return ArrowCounts(stats.transitions, in: machine)
    }

    /// Returns the part.
    func markup() async -> Markup {
        let choices = Tag.ul(.class("row")) {
            for (span, words) in Self.spans {
                Tag.li {
                    Tag.a(.href(Self.link(machine, version, span)), .current(asked == span)) { words }
                }
            }
        }
        return await ConsolePages.part("How long they stay", id: "stats") {
            guard let asked, let stats = try stats.get() else {
                return Tag.p { "How long instances stay in each state, and how often each transition is taken:" }
                    + choices
            }
            let command =
                ["wfctl", "stats", machine] + (asked == "all" ? [] : ["--since", asked])
                + (version.map { ["--version", "\($0)"] } ?? [])
            return choices + Self.progress(stats, Self.link(machine, version, asked)) + Self.tables(stats)
                + ConsolePages.commandLine(command)
        }
    }

    private static func link(_ machine: String, _ version: Int64?, _ span: String) -> Link {
        Link("machines", machine, [("version", version.map { "\($0)" }), ("stats", span)])
    }

    /// Returns what is still to be read: an answer stops after some seconds, and the next one goes on.
    private static func progress(_ stats: MachineStats, _ link: Link) -> Markup {
        let since = stats.since.map { Markup(text: " since ") + Words.time($0) } ?? Markup()
        let counted = Tag.p {
            Markup(text: "\(Words.count(stats.rows, "row")) of their histories are counted") + since + Markup(text: ".")
        }
        guard !stats.complete else { return counted }
        return Tag.p(.class("past")) {
            "This is not all yet: \(CountText.grouped(stats.progress.done)) of "
                + "\(CountText.grouped(stats.progress.total)) rows are read. "
            Tag.a(.href(link)) { "Go on" }
        } + counted
    }

    private static func tables(_ stats: MachineStats) -> Markup {
        var states = DataTable(
            "Stays in each state", "State", "Entered", "Left", "Half at most", "95 % at most", "Longest now")
        for item in stats.states.prefix(shownRows) {
            states.add {
                Words.states([item.state])
                CountText.grouped(item.visits)
                CountText.grouped(item.stays)
                time(item.p50InMilliseconds)
                time(item.p95InMilliseconds)
                item.longest.map(longest) ?? Markup(text: "–")
            }
        }
        var transitions = DataTable("Transitions, the most frequent first", "Event", "Times", "From", "To")
        for item in stats.transitions.prefix(shownRows) {
            transitions.add {
                Tag.code { item.event }
                CountText.grouped(item.count)
                Words.states(item.from)
                Words.states(item.to)
            }
        }
        let left = max(0, stats.states.count - shownRows) + max(0, stats.transitions.count - shownRows)
        return (states.rows.isEmpty ? Tag.p { "Nothing happened." } : states.markup + transitions.markup)
            + failures(stats)
            + (left > 0 || stats.others != nil
                ? Tag.p(.class("note")) { "More states and transitions are left out here." } : Markup())
    }

    private static func failures(_ stats: MachineStats) -> Markup {
        guard !stats.failures.isEmpty else { return Markup() }
        var table = DataTable("Failures, the most frequent first", "Event", "Times", "State", "Line", "Why")
        for item in stats.failures.prefix(shownRows) {
            table.add {
                Tag.code { item.event }
                CountText.grouped(item.count)
                item.state.map { Words.states([$0]) } ?? Markup(text: "–")
                item.line.map { "\($0)" } ?? "–"
                item.message ?? "erased"
            }
        }
        return table.markup
    }

    private static func longest(_ stay: LongestStayItem) -> Markup {
        Tag.a(.href(.instance(stay.instance))) { stay.instance }
            + Markup(text: " \(Words.span(stay.sinceInMilliseconds))")
    }

    private static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "–" }
        return milliseconds < 1_000 ? "\(milliseconds)ms" : Words.span(milliseconds)
    }
}
