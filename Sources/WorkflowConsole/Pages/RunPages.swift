import WorkflowAPI
import WorkflowClient

/// The pages of runs over many instances.
enum RunPages {
    static func list(_ client: WorkflowClient) async throws -> PageContent {
        let runs = try await client.bulkRuns()
        return PageContent("Runs", ["wfctl", "bulk", "list"]) {
            if runs.items.isEmpty {
                Words.emptyPage {
                    "There was no run over many instances yet. This rehearses one: "
                    Tag.code { "wfctl retry --machine order --dry-run" }
                }
            } else {
                table(of: runs.items, "Runs, the last begun first").markup
            }
        }
    }

    /// Returns the table of runs.
    static func table(of runs: [BulkRun], _ caption: String) -> DataTable {
        var table = DataTable(caption, "Run", "Verb", "State", "Progress", "By", "Begun", "Reason")
        for run in runs {
            table.add {
                Tag.a(.href(Link("runs", run.run))) { run.run }
                Markup(text: run.action.verb.rawValue)
                Markup(text: run.state.rawValue + (run.paused.map { ", pauses: \($0)" } ?? ""))
                Markup(text: "\(run.counts.total) of \(run.selected)")
                Markup(text: run.actor ?? "–")
                Words.time(run.begunAt)
                Markup(text: run.reason ?? "–")
            }
        }
        return table
    }

    static func run(_ name: String, _ visitor: Visitor) async throws -> PageContent {
        let run = try await visitor.client.bulkRun(name)
        let counts = run.counts
        return PageContent("Run \(run.run)", ["wfctl", "bulk", "show", name]) {
            Words.facts([
                ("State", Markup(text: run.state.rawValue + (run.paused.map { ", pauses: \($0)" } ?? ""))),
                ("Verb", Markup(text: run.action.verb.rawValue)), ("Reason", run.reason.map { Markup(text: $0) }),
                ("By", Markup(text: run.actor ?? "unknown")), ("Begun", Words.time(run.begunAt)),
                ("Last progress", Words.time(run.updatedAt)), ("Ended", run.endedAt.map { Words.time($0) }),
                ("Undone by", run.undoneBy.map { name in Tag.a(.href(Link("runs", name))) { name } }),
                (
                    "Instances",
                    Markup(
                        text: "\(run.selected) selected: \(counts.done) done, \(counts.failed) failed, "
                            + "\(counts.refused) refused, \(counts.changed) changed since, \(counts.misfit) misfit, "
                            + "\(counts.passedOver) passed over")
                ),
                (
                    "Left out",
                    run.unevaluated.map { Markup(text: "\($0), for which the expression has no value") }
                ),
            ])
            switch run.state {
            case .running: VerbForm(.stopRun, run.run, for: visitor).markup("Stop")
            case .stopped: VerbForm(.resumeRun, run.run, for: visitor).markup("Go on")
            case .done: Markup()
            }
            ConsolePages.section("What it does", id: "action") { Words.json(run.action) }
            if let select = run.select {
                ConsolePages.section("What it selects", id: "select") { Words.json(select) }
            }
            told(run.told ?? [])
        }
    }

    private static func told(_ told: [BulkTold]) -> Markup {
        guard !told.isEmpty else { return Markup() }
        var table = DataTable("The first instances of each outcome", "Instance", "Outcome", "Why")
        for one in told {
            table.add {
                Tag.a(.href(.instance(one.instance))) { one.instance }
                one.outcome
                one.message ?? "–"
            }
        }
        return ConsolePages.section("Instances", id: "told") { table.markup }
    }
}
