import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl bulk`.
struct Bulk: Verb {
    static let configuration = CommandConfiguration(
        commandName: "bulk", abstract: "Show, stop and resume runs over many instances.",
        discussion: """
            $ wfctl bulk list
            $ wfctl bulk stop ops-12

            A verb with a selection, such as 'wfctl retry --machine order', begins a run. It goes on in wfd, also when \
            wfctl ends and when wfd starts again. Each instance has its turn once.
            """)

    /// What is done with runs.
    enum Action: String, CaseIterable, ExpressibleByArgument {
        case list, show, stop, resume
    }

    @Argument(help: "list, show, stop or resume.")
    var action: Action

    @Argument(help: "The name of the run.")
    var run: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if action == .list, run != nil { throw ValidationError("'wfctl bulk list' lists all runs; 'show' shows one") }
        if action != .list, run == nil { throw ValidationError("Missing expected argument '<run>'") }
    }

    func run(in session: Session) async throws {
        // `validate` has seen to it that there is one where it is needed.
        let name = run ?? ""
        switch action {
        case .list:
            let page = try await session.withClient { try await $0.bulkRuns() }
            var printer = ListPrinter(session, columns: Self.columns)
            try printer.add(page.items)
            try printer.end()
        case .show: try show(try await session.withClient { try await $0.bulkRun(name) }, in: session)
        case .stop: try tell(try await session.withClient { try await $0.stopRun(name) }, in: session)
        case .resume: try tell(try await session.withClient { try await $0.resumeRun(name) }, in: session)
        }
    }

    private func show(_ run: BulkRun, in session: Session) throws { try session.print(run) { BulkText.page(of: run) } }

    private func tell(_ run: BulkRun, in session: Session) throws {
        try session.print(run) { "\(run.run): \(run.state.rawValue)\n" }
    }

    private static let columns: [Table<BulkRun>.Column] = [
        .init("RUN") { $0.run },
        .init("VERB") { $0.action.verb.rawValue },
        .init("STATE", style: { $0.state == .stopped ? .bad : nil }) {
            $0.paused == nil ? $0.state.rawValue : "pauses"
        },
        .init("TURNS") { "\(BulkText.grouped($0.counts.total)) of \(BulkText.grouped($0.selected))" },
        .init("OUTCOME", cut: .second) { BulkText.outcome($0.counts, $0.action.verb) },
        .time("BEGUN") { $0.begunAt },
        .init("FOR", cut: .first) { BulkText.selection(of: $0) },
    ]
}
