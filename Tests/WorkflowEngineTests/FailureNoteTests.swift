import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the facts that a failed instance keeps about its failure: in its history, in its row, and after each retry.
@Suite struct FailureNoteTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle:
            on:
              go: {actions: {send: {event: count, data: {by: 0}}}}
              count: {actions: {assign: {n: 10 / event.data.by}}}
              spin: {actions: {send: round}}
              round: {actions: {raise: again}}
              again: {actions: {raise: again}}
        """

    private static let note =
        #"{"failure":{"event":"count","expression":"assign n: 10 / event.data.by","line":8,"#
        + #""message":"division by zero","state":"idle","type":"expression-failed"}}"#

    private func failure(seq: Int, at: Int64) -> String {
        #"{"at":\#(at),"event":"count","expression":"assign n: 10 / event.data.by","line":8,"#
            + #""message":"division by zero","seq":\#(seq),"state":"idle","type":"expression-failed"}"#
    }

    @Test(.timeLimit(.minutes(20))) func theRowAndTheInstanceKeepTheReason() async throws {
        let timed = try await TimedEngine(Self.definition)
        try await timed.start("job", "j")
        try await timed.send("go", to: "j")
        let rows = try await timed.rows("j")
        #expect(rows.map(\.note) == [nil, nil, Self.note])
        let record = try await timed.record("j")
        #expect(record.failure == failure(seq: 3, at: record.updated.rawValue))
        let view = try await timed.engine.instance(named: "j")
        #expect(
            view.failure?.reason.detail(machine: "job")
                == "'count' was undone: 'assign n: 10 / event.data.by' of state 'idle', line 8, "
                + "failed: division by zero"
        )
        #expect(view.failure?.data == ["by": 0])
        // The instance is shown as it was then, and as it was before.
        #expect(try await timed.engine.instance(named: "j", after: Seq(rawValue: 3))?.record.failure == record.failure)
        #expect(try await timed.engine.instance(named: "j", after: Seq(rawValue: 2))?.record.failure == nil)
        try await timed.expectWhole("j")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aRetryThatFailsAgainIsARow() async throws {
        let timed = try await TimedEngine(Self.definition)
        try await timed.start("job", "j")
        try await timed.send("go", to: "j")
        for seq in 4...5 {
            try await timed.pass(1_000)
            let answer = try await timed.engine.repair(RepairCommand(instance: "j", .retry))
            #expect(answer.status == .failed && answer.event == "count")
            #expect(answer.fromSeq.rawValue == Int64(seq - 1) && answer.seq.rawValue == Int64(seq))
            #expect(answer.from == ["idle"] && answer.to == ["idle"] && answer.context == ["n": 0])
            let record = try await timed.record("j")
            #expect(record.failure == failure(seq: seq, at: record.updated.rawValue))
            #expect(record.updated == timed.clock.now())
        }
        #expect(try await timed.rows("j").map(\.kind) == [.started, .event, .failed, .failed, .failed])
        try await timed.restart()
        try await timed.expectWhole("j")
        let findings = Collected<String>()
        _ = try await timed.engine.verify(instance: "j", by: .test) {
            if case .inconsistency(let finding) = $0 { findings.add("\(finding)") }
        }
        #expect(findings.all == [])
        // The same definition goes the same way.
        let machine = try DefinitionReader.read(Self.definition).machine
        let verdict = try await timed.engine.backtest(try await timed.record("j"), with: machine, by: .test) { _ in }
        #expect(verdict == .same)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aMachineThatNeverSettlesIsKeptToo() async throws {
        let timed = try await TimedEngine(Self.definition)
        try await timed.start("job", "j")
        try await timed.send("spin", to: "j")
        #expect(
            try await timed.rows("j").last?.note
                == #"{"failure":{"event":"round","message":"machine 'job' did not settle within 1000 steps; "#
                + #"these states went round: 'idle'","type":"livelock"}}"#)
        try await timed.expectWhole("j")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aLongNoteIsCut() async throws {
        let long = String(repeating: "ä", count: 600)
        let timed = try await TimedEngine(
            Self.definition.replacing("10 / event.data.by", with: "size('\(long)') / event.data.by"))
        try await timed.start("job", "j")
        try await timed.send("go", to: "j")
        let note = try #require(try await timed.rows("j").last?.note)
        #expect(note.utf8.count <= 1_024 && note.utf8.count > 700)
        #expect(note.contains("ää…\""), "\(note)")
        #expect(note.contains("division by zero"))
        try await timed.expectWhole("j")
        try await timed.stop()
    }

    /// The faults whose messages may show a value of the data, by their expressions.
    private static let telling = [
        "context.map.s3cret", "context.map['no' + context.text]", "context.map[context.text]", "context.list[424242]",
        "context.list[context.number]", "context.list[context.fraction]", "int(context.text)", "double(context.text)",
        "timestamp(context.text)", "duration(context.text)", "'x'.matches('(' + context.text)",
        "context.list.slice(0, context.number)", "'x'.substring(context.number)", "'x'.charAt(context.number)",
        "lists.range(-context.number)", "context.list.flatten(-context.number)", "'%' + context.text",
        "'%y'.format([context.text])", "'%d'.format([context.text])", "event.at.getHours(context.text)",
        "In(context.text)", "context.text + context.number", "context.text.nope", "context.text[0]",
        "context.number + 9223372036854775807", "context.text ? 1 : 2", "[context.text, context.number].sort()",
        "math.greatest([context.text])", "context.text.orValue(1)", "base64.decode(context.text)",
        "'%.99f'.format([context.fraction])", "context.map.a.b.c", "bytes(context.map)", "uint(-context.number)",
    ]

    @Test(.timeLimit(.minutes(20)), arguments: telling)
    func noValueIsKept(_ expression: String) async throws {
        let definition = """
            id: job
            initial: idle
            context: {text: '', number: 0, fraction: 0.5, list: [], map: {}, kept: null, delay: false}
            states:
              idle:
                on:
                  go: {actions: {send: bad}}
                  bad: {actions: {assign: {kept: \(JSONWriter.string(JSONValue.string(expression)))}}}
            """
        let timed: TimedEngine
        do {
            timed = try await TimedEngine(definition)
        } catch let rejection as Rejection {
            // A definition that is refused beforehand never fails.
            #expect(rejection.kind == "invalidDefinition")
            return
        }
        let data: JSONObject = [
            "text": "s3cret", "number": 424_242, "fraction": 42.4242, "list": [["s3cret"]],
            "map": ["s3cret-key": 1, "a": "s3cret"],
        ]
        _ = try await timed.engine.start(StartCommand(machine: "job", instance: "j", data: data))
        let answer = try await timed.send("bad", to: "j", isDryRun: true, orRefused: true)
        try await timed.send("go", to: "j")
        let record = try await timed.record("j")
        #expect((record.status == .failed) == (answer == nil))
        guard record.status == .failed else { return try await timed.stop() }
        let view = try await timed.engine.instance(named: "j")
        let reason = try #require(view.failure?.reason)
        for value in ["s3cret", "424242", "42.4242"] {
            #expect(!reason.message.contains(value) || expression.contains(value), "\(reason.message)")
        }
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["delay: context.text", "event: x, delay: context.list"])
    func noValueOfADelayIsKept(_ delay: String) async throws {
        let timed = try await TimedEngine(
            """
            id: job
            initial: idle
            context: {text: '', list: null}
            events: {typed: {data: {a: int}}}
            states:
              idle:
                on:
                  go: {actions: {send: bad}}
                  bad: {actions: {send: {event: later, delay: context.text}}}
                  fill: {actions: {send: worse}}
                  worse: {actions: {raise: {event: typed, data: {a: context.list}}}}
                  later: {}
                  typed: {}
            """)
        _ = try await timed.engine.start(
            StartCommand(machine: "job", instance: "j", data: ["text": "s3cret", "list": "s3cret"]))
        try await timed.send(delay.hasPrefix("delay") ? "go" : "fill", to: "j")
        let record = try await timed.record("j")
        #expect(record.status == .failed)
        let view = try await timed.engine.instance(named: "j")
        let reason = try #require(view.failure?.reason)
        #expect(!reason.message.contains("s3cret"), "\(reason.message)")
        try await timed.stop()
    }
}

extension TimedEngine {
    /// Sends an event; `nil` if it was refused.
    fileprivate func send(
        _ event: String, to name: String, isDryRun: Bool, orRefused: Bool
    ) async throws -> SendResult? {
        do throws(Rejection) {
            return try await send(event, to: name, isDryRun: isDryRun)
        } catch {
            return nil
        }
    }
}
