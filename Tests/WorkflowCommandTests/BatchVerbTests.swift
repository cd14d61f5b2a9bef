import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `send --batch`, mainly its output about lines that had no effect.
struct BatchVerbTests {
    private static let tick = #"{"instance": "a", "event": "tick"}"#
    private static let full = Problem(.storageUnavailable, detail: "Nothing was changed: the disk is full")

    private static func taken(_ line: Int64) -> BatchAnswer {
        BatchAnswer(line: line, status: 200, answer: Sample.sent)
    }

    private static func refused(_ line: Int64, _ problem: Problem) -> BatchAnswer {
        BatchAnswer(line: line, status: problem.type.status, error: problem)
    }

    private static func step(_ answers: [BatchAnswer]) -> ScriptedTransport.Step {
        .lines(answers.map { JSONWriter.string($0) })
    }

    private static func run(
        _ lines: [String], _ steps: [ScriptedTransport.Step], format: String = "table"
    ) async -> (CommandHarness.Outcome, requests: Int) {
        let transport = ScriptedTransport(steps)
        let harness = CommandHarness(files: ["e.ndjson": lines.map { $0 + "\n" }.joined()])
        let (outcome, _) = await harness.run(
            ["send", "--batch", "e.ndjson", "--run", "r", "-o", format], transport: transport)
        return (outcome, transport.requests.count)
    }

    /// All available lines go out before wfctl waits for more; the lines of `--atomic` go together.
    @Test(arguments: [(["--run", "r"], [2, 3, 1]), (["--run", "r", "--atomic"], [6])])
    func linesGoOutBeforeOneThatIsLate(options: [String], requests: [Int]) async {
        let transport = ScriptedTransport(requests.map { Self.step((1...Int64($0)).map(Self.taken)) })
        let harness = CommandHarness(
            files: ["e.ndjson": String(repeating: Self.tick + "\n", count: 6)], lateLines: [1, 3, 6])
        let (outcome, _) = await harness.run(["send", "--batch", "e.ndjson"] + options, transport: transport)
        #expect(outcome == .init(exit: 0, output: "6 events: 6 applied, 0 applied before, 0 refused\n", errors: ""))
        let sent = transport.requests.map { $0.body?.bytes.count { $0 == UInt8(ascii: "\n") } }
        #expect(sent == requests)
    }

    /// 600 lines are three requests, and the disk is full during the second one.
    @Test(arguments: ["table", "jsonl"]) func aFullDiskStopsTheBatch(format: String) async {
        let second = (1...250).map { $0 < 50 ? Self.taken($0) : Self.refused($0, Self.full) }
        let (outcome, requests) = await Self.run(
            Array(repeating: Self.tick, count: 600),
            [Self.step((1...250).map(Self.taken)), Self.step(second)], format: format)
        #expect(outcome.exit == 75 && requests == 2)
        #expect(
            outcome.errors == """
                error: Stopped at line 300: Nothing was changed: the disk is full
                  sent so far: 299 events: 299 applied, 0 applied before, 0 refused
                  the same command continues where this one stopped

                """)
        #expect(outcome.output.split(separator: "\n").count == (format == "table" ? 0 : 299))
    }

    @Test func aDamagedDatabaseStopsTheBatch() async {
        let damaged = Problem(.databaseDamaged, detail: "Nothing was changed: the database is damaged")
        let (outcome, requests) = await Self.run(
            Array(repeating: Self.tick, count: 600),
            [Self.step((1...250).map { $0 < 50 ? Self.taken($0) : Self.refused($0, damaged) })])
        #expect(outcome.exit == 65 && requests == 1)
        #expect(
            outcome.errors == """
                error: Stopped at line 50: Nothing was changed: the database is damaged
                  sent so far: 49 events: 49 applied, 0 applied before, 0 refused
                  the same command continues where this one stopped

                """)
    }

    @Test func aFullDiskStopsTheFirstLine() async {
        let (outcome, requests) = await Self.run([Self.tick], [Self.step([Self.refused(1, Self.full)])])
        #expect(
            outcome
                == .init(
                    exit: 75, output: "",
                    errors: """
                        error: Stopped at line 1: Nothing was changed: the disk is full
                          the same command continues where this one stopped

                        """))
        #expect(requests == 1)
    }

    /// Lines with an unknown outcome after a disk failure are named, and the next run asks for them.
    @Test func linesOfUnknownOutcomeAreNamed() async {
        let unknown = Problem(.outcomeUnknown, detail: "The commit failed")
        let answers = Self.step([Self.taken(1), Self.refused(2, unknown), Self.refused(3, unknown)])
        let gone = ScriptedTransport.Step.failure(
            .unreachable(.unix(path: "/run/test.sock"), reason: "there is no such socket"))
        let lines = ["", Self.tick, Self.tick, Self.tick]
        let (outcome, _) = await Self.run(lines, [answers] + Array(repeating: gone, count: 50))
        #expect(
            outcome
                == .init(
                    exit: 75, output: "",
                    errors: """
                        error: Stopped at line 3: The commit failed
                          sent so far: 1 event: 1 applied, 0 applied before, 0 refused
                          lines 3 to 4: it is unknown whether all of them were applied
                          the same command continues where this one stopped

                        """))
    }

    /// Lines that a stopping daemon has not applied are not refused: they are sent again, with the same keys.
    @Test func linesThatAStoppingDaemonTurnsAwayAreSentAgain() async {
        let draining = Problem(.draining, detail: "The daemon is stopping; nothing was changed")
        let lines = Array(repeating: Self.tick, count: 252)
        let (outcome, requests) = await Self.run(
            lines,
            [
                Self.step((1...250).map(Self.taken)), Self.step([Self.taken(1), Self.refused(2, draining)]),
                Self.step([BatchAnswer(line: 1, status: 200, repeated: true, answer: Sample.sent), Self.taken(2)]),
            ])
        #expect(outcome == .init(exit: 0, output: "252 events: 251 applied, 1 applied before, 0 refused\n", errors: ""))
        #expect(requests == 3)
    }

    @Test(arguments: [
        ("{", "line 3: The line is not JSON at column 2: expected a key in double quotes, found the end of the text"),
        ("[1]", "line 3: The line must be a map, not a list"),
        (
            #"{"instance": "a", "evnt": "tick", "event": "x"}"#,
            "line 3: Unknown field 'evnt' (known here: instance, event, data, expect, key); did you mean 'event'?"
        ),
    ])
    func aMistakeIsPlacedInTheFile(line: String, message: String) async {
        let (outcome, _) = await Self.run([Self.tick, "", line], [Self.step([Self.taken(1)])])
        #expect(
            outcome
                == .init(
                    exit: 65, output: "2 events: 1 applied, 0 applied before, 1 refused\n", errors: message + "\n"))
    }

    /// Mistakes and refusals are in the order of the file.
    @Test func refusalsComeInTheOrderOfTheLines() async {
        let unknown = Problem(.unknownEvent, detail: "Machine 'm' has no event 'tikc'")
        let (outcome, requests) = await Self.run(
            ["[1]", Self.tick, "[2]", Self.tick, "[3]"],
            [Self.step([Self.refused(1, unknown), Self.refused(2, unknown)])])
        #expect(
            outcome.errors == """
                line 1: The line must be a map, not a list
                line 2: Machine 'm' has no event 'tikc'
                line 3: The line must be a map, not a list
                line 4: Machine 'm' has no event 'tikc'
                line 5: The line must be a map, not a list

                """)
        #expect(outcome.output == "5 events: 0 applied, 0 applied before, 5 refused\n" && requests == 1)
        let (none, asked) = await Self.run(Array(repeating: "[]", count: 600), [])
        #expect(none.exit == 65 && none.output.hasPrefix("600 events") && asked == 0)
    }

    private static let start = #"{"instance": "a", "start": {"machine": "m"}}"#

    private static let nameTaken = Problem(.instanceExists, detail: "Instance 'a' exists already", instance: "a")

    /// Both verbs accept both kinds of lines, and report the kinds that there were.
    @Test(arguments: [
        ("start", [start, start], "2 starts"), ("send", [start], "1 start"), ("start", [tick, tick], "2 events"),
        ("start", [start, tick], "2 lines"), ("send", [start, tick], "2 lines"), ("start", ["[]"], "1 start"),
        ("send", ["[]"], "1 event"), ("start", [start, "[]"], "2 starts"),
    ])
    func theLinesAreCountedByWhatTheyAre(verb: String, lines: [String], noun: String) async {
        let sent = lines.filter { $0 != "[]" }
        let transport = ScriptedTransport(
            sent.isEmpty ? [] : [Self.step(sent.indices.map { Self.taken(Int64($0) + 1) })])
        let harness = CommandHarness(files: ["e.ndjson": lines.map { $0 + "\n" }.joined()])
        let (outcome, _) = await harness.run([verb, "--batch", "e.ndjson", "--run", "r"], transport: transport)
        #expect(outcome.output.hasPrefix("\(noun): \(sent.count) applied"), "\(outcome)")
    }

    /// The line goes out unchanged, with a key that the next run derives again.
    @Test func aStartIsSentWithAKey() async throws {
        var bodies: [String] = []
        for _ in 0..<2 {
            let transport = ScriptedTransport([Self.step([Self.refused(1, Self.nameTaken)])])
            let harness = CommandHarness(files: ["e.ndjson": Self.start])
            let (outcome, _) = await harness.run(
                ["start", "--batch", "e.ndjson", "--run", "r"], transport: transport)
            #expect(
                outcome
                    == .init(
                        exit: 8, output: "1 start: 0 applied, 0 applied before, 1 refused\n",
                        errors: "line 1: Instance 'a' exists already\n"))
            bodies += transport.requests.compactMap { $0.body.map { String(decoding: $0.bytes, as: UTF8.self) } }
        }
        let body = try #require(bodies.first)
        #expect(body.hasPrefix(#"{"instance":"a","start":{"machine":"m"},"key":"r:"#) && bodies == [body, body])
    }

    @Test(arguments: [
        (["start"], "Missing expected argument '<machine>'"),
        (["start", "m", "--run", "r"], "'--run' and '--atomic' go with '--batch' only"),
        (["start", "m", "--atomic"], "'--run' and '--atomic' go with '--batch' only"),
        (
            ["start", "m", "--batch", "e.ndjson"],
            "'--batch' accepts only '--run' and '--atomic': its lines have everything else"
        ),
        (
            ["start", "--batch", "e.ndjson", "--version", "1"],
            "'--batch' accepts only '--run' and '--atomic': its lines have everything else"
        ),
        (["start", "--batch", "e.ndjson", "--run", "ä"], "'--run' must have at most 172 printable ASCII characters"),
    ])
    func startRefusesWhatDoesNotGoTogether(arguments: [String], message: String) async {
        let (outcome, _) = await CommandHarness(files: ["e.ndjson": Self.start]).run(
            arguments, transport: ScriptedTransport([]))
        #expect(outcome.exit == 64 && outcome.errors.contains(message), "\(outcome)")
    }

    @Test func aLineWithoutAKeyIsWrongUsage() async {
        let outcome = await CommandHarness(files: ["e.ndjson": Self.tick]).run("send", "--batch", "e.ndjson")
        #expect(outcome.exit == 64 && outcome.errors.hasPrefix("error: Line 1 has no key\n  '--run NAME'"))
    }

    @Test func aLineIsRefusedWithTheSuggestionOfASingleSend() async {
        let unknown = Problem(.unknownEvent, detail: "Machine 'm' has no event 'tikc'", suggestion: "tick")
        let missing = Problem(
            .instanceNotFound, detail: "There is no instance 'aa'", instance: "aa", suggestion: "a\u{7F}")
        let answers = [Self.refused(1, unknown), Self.refused(2, missing)]
        let (outcome, _) = await Self.run([Self.tick, Self.tick], [Self.step(answers)])
        #expect(
            outcome.errors == """
                line 1: Machine 'm' has no event 'tikc'; did you mean 'tick'?
                line 2: There is no instance 'aa'; did you mean 'a\\u{7f}'?

                """)
        #expect(outcome.exit == 65)
    }
}
