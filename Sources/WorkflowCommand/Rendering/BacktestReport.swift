import WorkflowAPI
import WorkflowJSON

/// Prints the result of a replay with another definition: the instances that differ, and finally their number.
struct BacktestReport {
    private let session: Session
    private var progress: Progress
    private var table: Table<BacktestOutcome>
    private var outcomes: [BacktestOutcome] = []
    private var counts: BacktestCounts?

    /// True if every history leads to the same result.
    private(set) var isSame = true

    init(_ session: Session) {
        self.session = session
        progress = Progress(session, unit: .things("events"))
        table = Table(Self.columns, isRowByRow: true, on: session.screen)
    }

    /// Adds the next line of the answer.
    mutating func add(_ line: BacktestLine) throws {
        switch line {
        case .progress(let now): try progress.show("replaying", done: now.done, total: now.total)
        case .outcome(let outcome):
            try progress.end()
            if outcome.result != .same { isSame = false }
            switch session.format {
            case .table: try session.environment.output.write(table.lines(for: [outcome]))
            case .jsonl, .batch: try session.write(json: JSONWriter.string(line) + "\n")
            case .json, .yaml: outcomes.append(outcome)
            }
        case .counts(let counts):
            self.counts = counts
            if counts.differs + counts.refused > 0 { isSame = false }
        }
    }

    /// Prints the end of the report.
    mutating func end() throws {
        try progress.end()
        switch session.format {
        case .jsonl, .batch: if let counts { try session.print(BacktestLine.counts(counts)) { "" } }
        case .table: if let counts { try session.environment.output.write(Self.text(of: counts, on: session.screen)) }
        case .json, .yaml:
            if counts == nil, let outcome = outcomes.first {
                try session.print(outcome) { "" }
            } else {
                try session.print(Document(outcomes: outcomes, counts: counts)) { "" }
            }
        }
    }

    private static let columns: [Table<BacktestOutcome>.Column] = [
        .init("INSTANCE", width: 20) { $0.instance },
        .init("RESULT", width: 7, style: { $0.result == .same ? .good : .bad }) { $0.result.rawValue },
        .init("SEQ", width: 4) { $0.seq.map { String($0) } ?? "" },
        .init("EVENT", width: 12, cut: .last) { EventText.short($0.event ?? "", states: $0.was ?? []) },
        .init("WAS", width: 16, cut: .second, style: .state) { $0.was.map(StateText.leaves) ?? "" },
        .init("WOULD BE", width: 16, cut: .second, style: .state) { $0.wouldBe.map(StateText.leaves) ?? "" },
        .init("WHY", cut: .first) { $0.detail ?? "" },
    ]

    /// Returns the numbers of `same`, `differs` and `refused`, with their events.
    private static func text(of counts: BacktestCounts, on screen: Screen) -> String {
        var summary = Table<(name: String, count: Int64, events: String)>(
            [
                .init("RESULT", style: { $0.count == 0 ? nil : $0.name == "same" ? .good : .bad }) { $0.name },
                .init("INSTANCES") { String($0.count) }, .init("AT", cut: .first) { $0.events },
            ], on: screen)
        func events(_ number: (BacktestCounts.Group) -> Int64) -> String {
            let told = counts.groups.filter { number($0) > 0 }.sorted { number($0) > number($1) }
            return told.prefix(10).map { "\($0.event.isEmpty ? "?" : $0.event) \(number($0))" }.joined(separator: ", ")
                + (told.count > 10 ? ", …" : "")
        }
        return summary.lines(for: [
            ("same", counts.same, ""), ("differs", counts.differs, events(\.differs)),
            ("refused", counts.refused, events(\.refused)),
        ])
    }

    /// All outcomes together, for formats with one document.
    private struct Document: JSONWritable {
        let outcomes: [BacktestOutcome]
        let counts: BacktestCounts?

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("instances", outcomes)
                writer.field("counts", ifPresent: counts)
            }
        }
    }
}
