import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `wfctl tail`, without a daemon.
struct TailVerbTests {
    private static func event(_ seq: Int64, _ name: String) -> String {
        let row = Sample.row(seq, name, from: seq == 1 ? [] : ["draft"], to: ["draft"])
        let item = StreamItem(instance: "order-1042", machine: "order", version: 2, row: row)
        return "id: \(row.cursor)\nevent: transition\ndata: \(JSONWriter.string(item))\n\n"
    }

    private static func stream(_ text: String) -> ScriptedTransport.Step {
        .bytes(Array(text.utf8), as: EventStream.mediaType)
    }

    private static let changed = ScriptedTransport.Step.problem(
        Problem(
            .generationChanged, detail: "a restore came", parted: Parting(generation: 2, cursor: "c9")))

    @Test func rowsArePrintedAndWhereItWasCutIsSaid() async {
        let outcome = await CommandHarness().run(
            "tail", "--machine", "order",
            answers: [
                Self.stream(Self.event(1, "init") + Self.event(2, "pay")), Self.stream(":\nid: c2\n\n"), Self.changed,
            ])
        let lines = outcome.output.split(separator: "\n").map { line in
            line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(lines.first == "AT INSTANCE SEQ KIND EVENT FROM TO DATA")
        #expect(lines.count == 3 && lines[2].contains("order-1042 2 event pay draft draft"), "\(lines)")
        let cut = "connecting again: No answer from wfd at 'unix:/run/test.sock': the stream has ended"
        #expect(
            outcome.errors == """
                cut off behind c2, \(cut)
                connected again
                cut off behind c2, \(cut)
                error: a restore came
                  '--since c9' goes on behind the last row that both have

                """)
        #expect(outcome.exit == 1)
    }

    @Test func filtersAddUp() async {
        let transport = ScriptedTransport([Self.changed])
        _ = await CommandHarness().run(
            ["tail", "--machine", "m", "--machine", "n", "--kind", "event", "--kind", "failed", "--event", "pay"],
            transport: transport)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/stream?machine=m&machine=n&kind=event&kind=failed&event=pay"
            ])
    }

    /// Options whose values do not add up are refused if repeated. Of a global option, the last one counts.
    @Test(arguments: [
        ["tail", "--since", "a", "--since", "b"], ["tally", "--limit", "1", "--limit", "2"],
        ["list", "--sort", "age", "--sort=name"], ["audit", "--limit", "1", "--limit", "2"],
        ["queues", "--limit", "1", "--limit", "2"], ["history", "o", "--after", "1", "--after", "2"],
        ["start", "--batch", "a", "--batch", "b"],
    ])
    func anOptionOfOneValueIsNotRepeated(arguments: [String]) async {
        let transport = ScriptedTransport([])
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome.exit == 64 && transport.requests.isEmpty)
        #expect(outcome.errors.contains(" is given twice, but takes one value\n"), "\(outcome)")
    }

    @Test func linesOfJSONAreTheItems() async throws {
        let outcome = await CommandHarness().run(
            "tail", "order-1042", "-o", "jsonl", "--since", "start",
            answers: [Self.stream(Self.event(1, "init")), Self.changed])
        let item = try StreamItem(json: try JSONReader.value(from: outcome.output), unknownFields: .refused)
        #expect(item.instance == "order-1042" && item.version == 2 && item.row.cursor == "c1")
    }

    /// It requests the rows from a time on, begins with the first recent row, and shows all rows after it.
    @Test func itBeginsSomeTimeAgo() async throws {
        let hour: Int64 = 3_600_000
        func event(_ seq: Int64, _ name: String, _ age: Int64) -> String {
            var row = Sample.row(seq, name, from: ["draft"], to: ["draft"])
            row.at = WireTime(milliseconds: Sample.time.milliseconds - age)
            let item = StreamItem(instance: "o", machine: "order", version: 2, row: row)
            return "id: \(row.cursor)\nevent: transition\ndata: \(JSONWriter.string(item))\n\n"
        }
        let transport = ScriptedTransport([
            .value(ClockStatus(clock: .real, now: Sample.time)),
            Self.stream(event(1, "old", 2 * hour) + event(2, "recent", hour) + event(3, "late", 3 * hour)),
            Self.changed,
        ])
        let (outcome, _) = await CommandHarness().run(["tail", "--since", "1h"], transport: transport)
        #expect(!outcome.output.contains("old"), "\(outcome)")
        #expect(outcome.output.contains("recent") && outcome.output.contains("late"), "\(outcome)")
        let asked = StreamParameters(after: WireTime(milliseconds: Sample.time.milliseconds - hour).text).queryText
        #expect(transport.requests.count >= 2 && transport.requests[1].target.hasSuffix(asked))
    }

    @Test(arguments: [
        (["tail", "o", "--machine", "order"], "'--machine' cannot be combined with an instance"),
        (
            ["tail", "-o", "json"],
            "'tail' prints rows as they come, and '-o json' one document; use '-o jsonl'"
        ),
    ])
    func whatDoesNotGoTogetherIsRefused(arguments: [String], message: String) async {
        let outcome = await CommandHarness().run(arguments, transport: ScriptedTransport([])).outcome
        #expect(outcome.exit == 64 && outcome.errors.contains(message), "\(outcome)")
    }
}
