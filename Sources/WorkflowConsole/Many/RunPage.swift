import WorkflowAPI
import WorkflowCalls
import WorkflowTerminal

/// The page of a run over many instances: its progress, and what can be done about it.
struct RunPage {
    private let run: BulkRun
    private let visitor: Visitor

    /// The most instances of an outcome that a page lists.
    private static let listed = 500

    static func content(_ name: String, _ request: PageRequest, _ visitor: Visitor) async throws -> PageContent {
        guard request.query.isEmpty else {
            let parameters = try LeftOutParameters(query: request.query)
            return try await leftOut(parameters.outcome, name, visitor.client)
        }
        let run = try await visitor.client.bulkRun(name)
        let rows = Link.stream(ofMachines: run.select?.machines ?? [], for: request)
        return RunPage(run: run, visitor: visitor).content(live: run.state == .running ? rows : nil)
    }

    /// - Parameter rows: The stream of the rows that the run makes; `nil` for a run that makes none.
    private func content(live rows: Link?) -> PageContent {
        PageContent("Run \(run.run)", ["wfctl", "bulk", "show", run.run], stream: rows) {
            progress
            verbs
            ConsolePages.section("What it does", id: "action") {
                Words.json(run.action)
                if let select = run.select {
                    Tag.p { "Which instances:" }
                    Words.json(select)
                }
            }
            told
        }
    }

    private var progress: Markup {
        let outcomes = run.counts.did(run.action.verb).map { "\(CountText.grouped($0.count)) \($0.words)" }
        let turns = "\(CountText.grouped(run.counts.total)) of \(CountText.grouped(run.selected))"
        return ConsolePages.section("Progress", id: "progress") {
            if run.selected > 0 {
                Tag.progress(.max("\(run.selected)"), .value("\(run.counts.total)"), .label("Progress")) { turns }
            }
            if run.state == .running {
                Tag.p { Tag.a(.href(Link("runs", run.run))) { "Load again" } }
            }
            Words.facts([
                ("State", Markup(text: run.state.rawValue)), ("Pauses", run.paused.map { Markup(text: $0) }),
                ("Instances", Markup(text: turns + (outcomes.isEmpty ? "" : ": \(outcomes.joined(separator: ", "))"))),
                ("Left out", run.unevaluated.map { Markup(text: "\($0), for which the expression has no value") }),
                ("Verb", Markup(text: run.action.verb.rawValue)), ("Reason", run.reason.map { Markup(text: $0) }),
                ("By", Markup(text: run.actor ?? "unknown")), ("Begun", Words.time(run.begunAt)),
                ("Last progress", Words.time(run.updatedAt)), ("Ended", run.endedAt.map { Words.time($0) }),
                ("Undone by", run.undoneBy.map { name in Tag.a(.href(Link("runs", name))) { name } }),
                ("Listed in full", lists),
            ])
        }
    }

    /// The links to the instances of outcomes that wfd finds again, once the run is done.
    private var lists: Markup? {
        let counts = [
            ("misfit", run.counts.misfit), ("refused", run.counts.refused), ("passedOver", run.counts.passedOver),
            ("changed", run.action.verb == .undo ? run.counts.changed : 0),
        ].filter { $0.1 > 0 }
        guard run.state == .done, !counts.isEmpty else { return nil }
        return Tag.ul(.class("row")) {
            for (outcome, _) in counts {
                Tag.li { Tag.a(.href(Link("runs", run.run, [("outcome", outcome)]))) { outcome } }
            }
        }
    }

    @MarkupBuilder private var verbs: Markup {
        switch run.state {
        case .running:
            VerbForm(.stopRun, run.run, for: visitor).markup("Stop")
            ConsolePages.commandLine(["wfctl", "bulk", "stop", run.run])
        case .stopped:
            VerbForm(.resumeRun, run.run, for: visitor).markup("Go on")
            ConsolePages.commandLine(["wfctl", "bulk", "resume", run.run])
        case .done: Markup()
        }
        if canBeUndone { Self.undo(run.run, visitor) }
    }

    private var canBeUndone: Bool {
        run.state != .running && run.undoneBy == nil
            && [.set, .cancel, .skip, .suspend, .reset, .migrate].contains(run.action.verb)
    }

    /// The form that rehearses the undo of a run.
    static func undo(_ name: String, _ visitor: Visitor, typed: FormRequest? = nil) -> Markup {
        ConsolePages.section("Undo", id: "undo") {
            VerbForm(.undoRun, name, for: visitor).markup("Rehearse the undo") {
                ActionForm.undo.fields.markup(typed)
            }
            ConsolePages.commandLine(["wfctl", "bulk", "undo", name, "--dry-run"])
        }
    }

    private var told: Markup {
        guard let told = run.told, !told.isEmpty else { return Markup() }
        return ConsolePages.section("Instances", id: "told") {
            RunPages.table(of: told, "The first instances of each outcome").markup
        }
    }

    /// Returns the page of the instances with an outcome, as they are now.
    private static func leftOut(
        _ outcome: LeftOutParameters.Outcome, _ name: String, _ client: WorkflowClient
    ) async throws -> PageContent {
        var found: [BulkTold] = []
        for try await told in try await client.leftOut(outcome, ofRun: name) {
            found.append(told)
            if found.count > listed { break }
        }
        let command = ["wfctl", "bulk", "show", name, "--outcome", outcome.rawValue]
        return PageContent("Run \(name): \(outcome.rawValue)", command) {
            Tag.p { Tag.a(.href(Link("runs", name))) { "The run" } }
            if found.isEmpty {
                Words.emptyPage { "No instance has this outcome any more." }
            } else {
                RunPages.table(of: Array(found.prefix(listed)), "Instances with this outcome, as they are now").markup
            }
            if found.count > listed { Tag.p(.class("note")) { "There are more: the line above lists them all." } }
        }
    }
}
