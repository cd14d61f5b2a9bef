import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowCommand
import WorkflowJSON
import WorkflowTerminal

/// Tests the output to a terminal: tables of its width, colours, and no text that it could misinterpret.
struct TerminalTests {
    private static func harness(columns: Int? = nil, _ variables: [String: String] = [:]) -> CommandHarness {
        var harness = CommandHarness()
        harness.isTerminal = true
        harness.columns = columns
        harness.variables["NO_COLOR"] = "1"
        harness.variables.merge(variables) { $1 }
        return harness
    }

    private static let rows: [HistoryItem] = {
        var first = Sample.row(
            2, "finance.ok", from: ["review.legal.pending", "review.finance.pending"], to: ["packing"])
        first.data = ["note": .string(String(repeating: "x", count: 300))]
        first.key = "k-1"
        first.actor = "uid:1000"
        return [first, Sample.row(3, "pay", from: ["packing"], to: ["done"])]
    }()

    private static func history(
        _ harness: CommandHarness, _ arguments: String..., rows: [HistoryItem] = rows
    ) async -> [String] {
        let transport = ScriptedTransport([.value(Page(items: rows))])
        let (outcome, _) = await harness.run(["history", "o"] + arguments, transport: transport)
        #expect(outcome.exit == 0 && outcome.errors.isEmpty, "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [60, 80, 120, 200]) func aTableFitsTheTerminal(columns: Int) async {
        let lines = await Self.history(Self.harness(columns: columns))
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(lines)")
        #expect(lines.count == 3 && lines[1].contains("…"))
        // Texts that are copied are whole. A time has its day and its second wherever there is room.
        let time = columns < 80 ? "  07-31 09:30:00  " : "  2026-07-31T09:30:00.123Z  "
        #expect(lines[1].hasPrefix("2 ") && lines[1].contains(time))
    }

    @Test func dataGiveWayBeforeStates() async {
        let wide = await Self.history(Self.harness(columns: 120))
        #expect(
            wide[1] == "2    2026-07-31T09:30:00.123Z  event  finance.ok  "
                + #"review.legal.pending, review.finance.pending  packing  {"note":"xxxxx…"#)
        let narrow = await Self.history(Self.harness(columns: 80))
        #expect(narrow[1] == #"2    2026-07-31T09:30:00.123Z  event  finance.ok  review.leg…  packing  {"note"…"#)
    }

    /// A requested column is shown, however narrow the terminal is.
    @Test func noColumnIsLeftOut() async {
        let asked = await Self.history(Self.harness(columns: 80), "--keys", "--actors")
        #expect(
            asked == [
                "SEQ  AT              KIND   EVENT     FROM      TO       DATA      KEY  ACTOR",
                #"2    07-31 09:30:00  event  finance…  review.…  packing  {"note"…  k-1  uid:1000"#,
                #"3    07-31 09:30:00  event  pay       packing   done     {"card"…  -    -"#,
            ])
        for columns in [40, 60, 80] {
            let lines = await Self.history(Self.harness(columns: columns), "--keys", "--actors", "--detail")
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(lines)")
            #expect(lines[0].split(separator: " ").count == 12, "\(lines[0])")
        }
        let timer = TimerItem(
            instance: "order-1042", event: "after.P3D.review", due: Sample.time, dueInMilliseconds: 259_200_250)
        let timers = await Self.harness(columns: 40).run("timers", answers: [.value(Page(items: [timer]))]).output
        #expect(
            timers == """
                DUE             IN       INSTANCE    EV…
                07-31 09:30:00  3d250ms  order-1042  af…

                """)
    }

    /// Later rows may be wider: the rows of one part of a list are aligned all the same.
    @Test func aLongListKeepsItsColumns() async {
        let rows = (1...1_200).map { seq in
            Sample.row(seq, "e", from: ["a"], to: [seq == 700 ? "a.long.one" : "a"])
        }
        let pages = [Page(items: Array(rows[..<600]), nextPage: "p"), Page(items: Array(rows[600...]))]
        let lines = await CommandHarness().run("history", "o", answers: pages.map { .value($0) }).output
            .split(separator: "\n")
        let ends = lines.dropFirst().map { $0.firstRange(of: "{\"card\"")?.lowerBound.utf16Offset(in: $0) }
        #expect(Set(ends[1..<600]).count == 1 && Set(ends[600...]).count == 1 && ends[1] != ends[600])
    }

    @Test func columnsOfTheEnvironmentComeFirst() async {
        let lines = await Self.history(Self.harness(columns: 200, ["COLUMNS": "90"]))
        #expect(lines.allSatisfy { $0.count <= 90 } && lines[1].count > 80, "\(lines)")
    }

    @Test(arguments: ["0", "-5", "wide", "99999999"]) func columnsThatAreNoneDoNotCount(text: String) async {
        let lines = await Self.history(Self.harness(columns: 100, ["COLUMNS": text]))
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test func wideCutsNothing() async {
        #expect(await Self.history(Self.harness(columns: 80), "--wide")[1].count > 300)
        let before = await Self.harness(columns: 80).run(
            "--wide", "history", "o", answers: [.value(Page(items: Self.rows))])
        #expect(before.output.contains(String(repeating: "x", count: 300)))
    }

    @Test func withoutATerminalNothingIsCut() async {
        var harness = Self.harness(columns: 80, ["COLUMNS": "80"])
        harness.isTerminal = false
        #expect(await Self.history(harness)[1].contains(String(repeating: "x", count: 300)))
    }

    /// Followed rows come one by one, and a later one is wider than the first.
    @Test func followedRowsFitToo() async {
        let transport = ScriptedTransport([
            .value(Page(items: [Sample.row(1, "init", from: [], to: ["a"])])), .value(Page(items: Self.rows)),
            .value(Page<HistoryItem>(items: [])), .value(Sample.instance("o", status: .done, seq: 3)),
        ])
        let (outcome, _) = await Self.harness(columns: 80).run(["history", "o", "--follow"], transport: transport)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.exit == 0 && lines.count == 4)
        #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 80 }, "\(lines)")
    }

    @Test func keysAndActorsAreToldOnRequest() async {
        let harness = CommandHarness()
        #expect(await !Self.history(harness)[0].contains("KEY"))
        let lines = await Self.history(harness, "--keys", "--actors")
        #expect(
            lines[0].hasSuffix("KEY   ACTOR") && lines[1].hasSuffix("k-1   uid:1000") && lines[2].hasSuffix("-     -"))
    }

    @Test(
        arguments: [
            (
                "after.context.n < 3 ? duration('1s') : duration('5s').review.wait", ["review.wait"],
                "after.….review.wait"
            ),
            ("after.context.delay.review.wait", ["review.wait.inner"], "after.….review.wait"),
            ("after.context.delay.review", [], "after.….review"),
            ("after.duration('1s').a.b", [], "after.….a.b"),
            ("after.1s.countdown.tick", [], "after.1s.countdown.tick"), ("after.1000.a", [], "after.1000.a"),
            ("after.PT0.5S.a", [], "after.PT0.5S.a"), ("pay", [], "pay"),
        ] as [(String, [String], String)])
    func aComputedDelayIsNamedByItsState(event: String, from: [String], shown: String) async {
        let rows = [Sample.row(2, event, from: from, to: ["b"])]
        let lines = await Self.history(CommandHarness(), rows: rows)
        #expect(lines[1].contains("event   \(shown)   "), "\(lines[1])")
        #expect(await Self.history(CommandHarness(), "--wide", rows: rows)[1].contains("event   \(event)   "))
    }

    @Test func statesKindsAndRefusalsHaveColours() async {
        var harness = Self.harness()
        harness.variables["NO_COLOR"] = nil
        let rows = [Sample.row(1, "init", from: [], to: ["a"])]
        #expect(
            await Self.history(harness, rows: rows)[1]
                == "1     2026-07-31T09:30:00.123Z   \u{1B}[32mstarted\u{1B}[0m   init    \u{1B}[36m-\u{1B}[0m      "
                + "\u{1B}[36ma\u{1B}[0m")
        let sent = await harness.run("send", "o", "pay", answers: [.value(Sample.sent)])
        #expect(
            sent.output
                == "order-1042: \u{1B}[36mawaiting_payment\u{1B}[0m -> \u{1B}[36mpacking\u{1B}[0m   (seq 4 -> 5)\n")
        for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            var plain = harness
            plain.variables.merge(variables) { $1 }
            #expect(await !plain.run("send", "o", "pay", answers: [.value(Sample.sent)]).output.contains("\u{1B}"))
        }
        harness.isTerminal = false
        #expect(await !harness.run("send", "o", "pay", answers: [.value(Sample.sent)]).output.contains("\u{1B}"))
    }

    /// A text with right-to-left override, line separator, C1 and DEL, and other characters that move or hide text.
    private static let evil = "a\u{202E}b\u{2028}c\u{9B}d\u{7F}e\u{2066}f\u{1B}[2J"
    private static let shown = #"a\u{202e}b\u{2028}c\u{9b}d\u{7f}e\u{2066}f"#

    @Test func textForPeopleIsEscapedEverywhere() async {
        var instance = Sample.instance("o")
        instance.context = ["x": .string(Self.evil)]
        var sent = Sample.sent
        sent.output = .string(Self.evil)
        let harness = Self.harness(columns: 200)
        let outputs = [
            await harness.run("show", "o", answers: [.value(instance)]).output,
            await harness.run("send", "o", "pay", answers: [.value(sent)]).output,
            await harness.run("show", Self.evil, answers: [.problem(Problem(.instanceNotFound, detail: Self.evil))])
                .errors,
            await harness.run("show", "o", "--" + Self.evil).errors, await harness.run(Self.evil).errors,
            await harness.run("validate", Self.evil).errors,
        ]
        for output in outputs {
            #expect(output.contains(Self.shown), "\(output.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())")
            #expect(output.unicodeScalars.allSatisfy { $0 == "\n" || !Printable.isUnsafe($0) })
        }
    }

    @Test func documentsAreEscapedOnATerminalAndKeptInAPipe() async throws {
        var instance = Sample.instance("o")
        instance.context = ["x": .string(Self.evil)]
        var machine = Sample.machine
        machine.source = "id: m\n\t# \(Self.evil)\n"
        for format in ["json", "jsonl", "yaml"] {
            let shown = await Self.harness().run("show", "o", "-o", format, answers: [.value(instance)]).output
            #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || !Printable.isUnsafe($0) }, "\(format)")
            guard format != "yaml" else { continue }
            #expect(try JSONReader.value(from: shown).object?["context"]?.object?["x"] == .string(Self.evil))
            let piped = await CommandHarness().run("show", "o", "-o", format, answers: [.value(instance)]).output
            #expect(piped.contains("a\u{202E}b\u{2028}c"))
        }
        let shown = await Self.harness().run("machine", "order", answers: [.value(machine)]).output
        #expect(shown == "id: m\n\t# \(Self.shown)\\u{1b}[2J\n")
        #expect(await CommandHarness().run("machine", "order", answers: [.value(machine)]).output == machine.source)
    }

    @Test(arguments: [
        ("日本", 4, "日…"), ("e\u{301}e\u{301}e\u{301}e\u{301}", 4, "e\u{301}e\u{301}…"), ("👩‍👩‍👧x👩‍👩‍👧", 5, "👩‍👩‍👧…"),
    ])
    func widthIsThatOfTheTerminal(text: String, columns: Int, cut: String) {
        #expect(DisplayWidth.of(text) == columns)
        #expect(DisplayWidth.cut(text, to: 3) == cut)
        #expect(DisplayWidth.cut(text, to: columns) == text)
    }

    @Test(arguments: [
        ("order-7", "order-7"), ("a b", #""a b""#), ("", #""""#), ("a=b", #""a=b""#), (#"say "x""#, #""say \"x\"""#),
        (#"c:\d"#, #"c:\d"#), (#"c:\d e"#, #""c:\\d e""#), ("one\ntwo\t3\r", #""one\ntwo\t3\r""#),
        ("\u{1b}[31m", #""\u001b[31m""#), ("a\u{202e}b", #""a\u202eb""#), ("größe", "größe"),
    ])
    func aValueInTheLogIsQuotedWhereItsEndWouldNotBeSeen(text: String, value: String) {
        #expect(Printable.logValue(text) == value)
    }
}
