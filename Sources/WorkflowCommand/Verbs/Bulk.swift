import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl bulk`.
struct Bulk: Verb {
    static let configuration = CommandConfiguration(
        commandName: "bulk", abstract: "Show, stop, resume and undo runs over many instances.",
        discussion: """
            $ wfctl bulk list
            $ wfctl bulk stop ops-12
            $ wfctl bulk show ops-13 --outcome misfit -o jsonl
            $ wfctl bulk undo ops-11 --reason OPS-15 --dry-run

            A verb with a selection, such as 'wfctl retry --machine order', begins a run. The run continues in wfd \
            when wfctl ends, and after a restart of wfd. It applies the verb to each instance once.

            'undo' accepts runs of set, cancel, skip, suspend, reset and migrate that are done or stopped. It puts \
            back each instance to which nothing has happened since the run, and lists the others. Calls and requests \
            that the instances have made stay made.
            """)

    /// The actions on runs.
    enum Action: String, CaseIterable, ExpressibleByArgument {
        case list, show, stop, resume, undo
    }

    @Argument(help: "The action.")
    var action: Action

    @Argument(help: "The name of the run.")
    var run: String?

    @Option(
        help: ArgumentHelp(
            "With 'show': list all instances with this present outcome; may be repeated. 'changed' is for an undo.",
            valueName: "misfit|refused|passedOver|changed"),
        completion: .list(LeftOutParameters.Outcome.allCases.map(\.rawValue)), transform: Bulk.outcome)
    var outcome: [LeftOutParameters.Outcome] = []

    @OptionGroup(title: "Undo") var undo: UndoOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if action == .list, run != nil { throw ValidationError("'wfctl bulk list' takes no name; 'show' takes one") }
        if !outcome.isEmpty, action != .show { throw ValidationError("'--outcome' goes with 'show' only") }
        if action != .list, run == nil { throw ValidationError("Missing expected argument '<run>'") }
        if action != .undo, let used = undo.used { throw ValidationError("'--\(used)' goes with 'undo' only") }
        if action == .undo, !undo.dryRun, undo.reason == nil {
            throw ValidationError("'bulk undo' needs '--reason', which is recorded")
        }
    }

    func run(in session: Session) async throws {
        // `validate` ensures that a run is named if the action needs one.
        let name = run ?? ""
        switch action {
        case .list:
            let page = try await session.withClient { try await $0.bulkRuns() }
            var printer = ListPrinter(session, columns: Self.columns)
            try printer.add(page.items)
            try printer.end()
        case .show:
            if !outcome.isEmpty { return try await list(of: name, in: session) }
            try show(try await session.withClient { try await $0.bulkRun(name) }, in: session)
        case .stop: try tell(try await session.withClient { try await $0.stopRun(name) }, in: session)
        case .resume: try tell(try await session.withClient { try await $0.resumeRun(name) }, in: session)
        case .undo: try await undo.carryOut(name, in: session)
        }
    }

    private func show(_ run: BulkRun, in session: Session) throws { try session.print(run) { BulkText.page(of: run) } }

    /// Lists the left-out instances, one outcome after another.
    private func list(of run: String, in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.leftOut)
        try await session.withClient { client in
            for outcome in LeftOutParameters.Outcome.allCases where self.outcome.contains(outcome) {
                for try await told in try await client.leftOut(outcome, ofRun: run) { try printer.add([told]) }
            }
        }
        try printer.end()
    }

    private static func outcome(_ word: String) throws -> LeftOutParameters.Outcome {
        if let outcome = LeftOutParameters.Outcome(rawValue: word) { return outcome }
        let words = LeftOutParameters.Outcome.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ValidationError("it must be one of \(words)")
    }

    private static let leftOut: [Table<BulkTold>.Column] = [
        .init("INSTANCE") { $0.instance },
        .init("OUTCOME") { $0.outcome },
        .init("WHY", cut: .first) { $0.message ?? "-" },
    ]

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
