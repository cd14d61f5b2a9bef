import WorkflowAPI
import WorkflowCalls

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

    /// Returns the table of instances and their outcomes.
    static func table(of told: [BulkTold], _ caption: String) -> DataTable {
        var table = DataTable(caption, "Instance", "Outcome", "Why")
        for one in told {
            table.add {
                Tag.a(.href(.instance(one.instance))) { one.instance }
                one.outcome
                one.message ?? "–"
            }
        }
        return table
    }
}
