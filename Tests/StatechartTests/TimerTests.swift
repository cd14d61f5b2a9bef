import Statechart
import Testing
import WorkflowJSON

@Suite struct TimerTests {
    @Test func aTimeoutFiresWhenItIsDueAndEndsWithItsState() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a: {after: {5s: b}, on: {leave: c}}
              b: {}
              c: {on: {back: a}}
            """)
        #expect(run.snapshot.armed.map(\.event) == ["after.5s.a"])
        #expect(try run.pass(4_999) == [] && run.state == "a")
        #expect(try run.pass(1) == ["after.5s.a"] && run.state == "b")
        run = try TimedRun(
            "{id: m, initial: a, states: {a: {after: {5s: b}, on: {leave: c}}, b: {}, c: {on: {back: a}}}}")
        try run.send("leave")
        #expect(run.snapshot.armed.isEmpty)
        _ = try run.pass(3_000)
        try run.send("back")
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [8_000])
    }

    @Test func timersThatAreDueAtTheSameInstantFireInTheOrderArmed() throws {
        var run = try TimedRun(
            """
            id: m
            type: parallel
            context: {seen: []}
            on: {'*': {actions: {assign: {seen: "context.seen + [event.name]"}}}}
            states:
              one: {entry: [{send: {event: b, delay: 2s}}, {send: {event: a, delay: 1s}}]}
              two: {entry: [{send: {event: c, delay: 1s}}, {send: {event: d, delay: 2s}}]}
            """)
        #expect(try run.pass(10_000) == ["a", "c", "b", "d"])
        #expect(run.snapshot.context["seen"] == ["a", "c", "b", "d"])
    }

    @Test func cancelEndsAllSendsOfItsIDAndNoOthers() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a:
                entry:
                  - {send: {event: one, delay: 1s, id: x}}
                  - {send: {event: two, delay: 2s, id: x}}
                  - {send: {event: three, delay: 1s, id: y}}
                  - {send: {event: four, delay: 1s}}
                on: {stop: {actions: {cancel: x}}}
            """)
        try run.send("stop")
        #expect(run.snapshot.armed.map(\.event) == ["three", "four"])
    }

    @Test func aDelayedSendOutlivesItsState() throws {
        var run = try TimedRun(
            "{id: m, initial: a, states: {a: {exit: {send: {event: e, delay: 1s}}, on: {go: b}}, b: {on: {e: c}}, c: {}}}"
        )
        try run.send("go")
        #expect(try run.pass(1_000) == ["e"] && run.state == "c")
    }

    @Test func aTransitionThatStaysInsideLeavesTimersAloneAndReenterArmsThemAgain() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a:
                initial: x
                after: {10s: b}
                on: {inside: .y, again: {target: a, reenter: true}}
                states: {x: {}, y: {}}
              b: {}
            """)
        _ = try run.pass(4_000)
        try run.send("inside")
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [10_000])
        try run.send("again")
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [14_000])
    }

    @Test(arguments: [
        ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("7d", 604_800_000), ("1.5s", 1_500),
        ("P3D", 259_200_000), ("PT1H", 3_600_000), ("P1DT2H30M0.5S", 95_400_500), ("P2W", 1_209_600_000),
        ("1000", 1_000), ("0", 0), ("1w", 604_800_000), ("1h30m", 5_400_000), ("1w2d3h4m5s6ms", 788_645_006),
        ("1.5h30.5m", 7_230_000), ("36525d", 3_155_760_000_000), ("1e3", 1_000), ("0x10", 16),
        ("context.n * 2", 2_000), ("duration('90s')", 90_000), ("'2m'", 120_000), ("context.d", 1_500),
        ("context.t", 5_000), ("'1h30m'", 5_400_000), ("'90m30s1h'", 9_030_000), ("'250000us'", 250),
        // A time that is past is due now.
        ("0 - 1", 0), ("'-5s'", 0), ("-1.5 * 2.0", 0), ("duration('-1h')", 0), ("0 - 9223372036854775807", 0),
        ("-1.0 / 0.0", 0), ("timestamp('1969-12-31T00:00:00Z') - event.at", 0), ("context.past", 0),
    ])
    func delaysHaveTheseForms(delay: String, milliseconds: Int64) throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 1000, d: 1500.4, t: 5s, past: -0.5s}
            states:
              a: {after: {"\(delay)": b}}
              b: {}
            """)
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [milliseconds])
    }

    @Test(arguments: [
        ("string('soon')", "the text is no delay; one is written \(DelayText.rule)"),
        ("string('P1M')", "a month has no fixed length; write days, such as P30D"),
        ("string('5min')", "the text is no delay: its units are w, d, h, m, s, ms, each once, the largest first"),
        ("string('2026-01-01T00:00:00Z')", "the text is a timestamp, not a delay; write timestamp(…) - event.at"),
        ("dyn(true)", "\(given) bool"),
        ("dyn(event.at)", "\(given) timestamp; write … - event.at"),
        ("9223372036854775806 + 1", "the delay is longer than a hundred years"),
        ("1.0 / 0.0", "the delay is longer than a hundred years"),
        ("0.0 / 0.0", "the delay is no number; one is written \(DelayText.rule)"),
        ("duration('4000000000s')", "the delay is longer than a hundred years"),
        ("string('5200000h')", "the delay is longer than a hundred years"),
        ("context.missing", "no such key: 'missing' in context; it has error, n"),
    ])
    func aDelayThatIsNoneRaisesAnErrorAndArmsNothing(delay: String, message: String) throws {
        var run = try TimedRun(
            """
            id: m
            strict: false
            initial: a
            context: {n: 0, error: null}
            states:
              a: {on: {go: b}}
              b:
                after: {"\(delay)": a, 1s: c}
                on: {error.execution: {actions: {assign: {error: event.data.message}}}}
              c: {}
            """)
        try run.send("go")
        #expect(run.snapshot.context["error"]?.string?.hasPrefix(message) == true, "\(run.context)")
        #expect(run.snapshot.armed.map(\.event) == ["after.1s.b"])
    }

    private static let given = "a delay is a duration, a number of milliseconds or a text, this one gives"

    @Test func aDateInThePastIsDueNowAndDoesNotUndoTheEventThatSetsIt() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {due: '', seen: []}
            states:
              a: {on: {remind: {target: b, actions: {assign: {due: event.data.due}}}}}
              b:
                entry: [{send: {event: ping, delay: timestamp(context.due) - event.at}}]
                after: {timestamp(context.due) - event.at: c}
                on: {ping: {actions: {assign: {seen: 'context.seen + [event.name]'}}}}
              c: {}
            """)
        run.now = LogicalTime(milliseconds: 1_800_000_000_000)
        try run.send("remind", ["due": "2020-01-01T00:00:00Z"])
        // An event that is sent without a wait follows in the same transaction. The timer is due at once.
        #expect(run.events == ["remind", "ping"] && run.snapshot.context["seen"] == ["ping"])
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [1_800_000_000_000])
        #expect(try run.pass(0).count == 1 && run.state == "c")
    }

    @Test func noTimerIsDueAfterTheYear9999() throws {
        var run = try TimedRun(
            "{id: m, initial: a, states: {a: {on: {go: {actions: {send: {event: e, delay: 36525d}}}, e: {}}}}}")
        run.now = LogicalTime(milliseconds: 253_402_300_799_999 - 3_155_760_000_000)
        try run.send("go")
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [253_402_300_799_999])
        run.now = LogicalTime(milliseconds: 253_402_300_800_000 - 3_155_760_000_000)
        guard case .expressionFailed(let failure)? = run.refusal(of: "go") else {
            Issue.record("the timer is armed")
            return
        }
        #expect(failure.message == "the timer would be due after the year 9999")
    }

    @Test func timeoutsNeverMatchAStarButSendsDo() throws {
        var run = try TimedRun(
            """
            id: m
            strict: false
            initial: a
            context: {seen: []}
            on: {'*': {actions: {assign: {seen: "context.seen + [event.name]"}}}}
            states:
              a: {after: {1s: {guard: 'false', target: b}}, entry: {send: {event: mine, delay: 1s}}}
              b: {}
            """)
        #expect(try run.pass(1_000) == ["mine", "after.1s.a"])
        #expect(run.snapshot.context["seen"] == ["mine"])
    }

    @Test func anEventsTimeIsItsDueTime() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {at: null}
            states:
              a: {after: {90s: b}}
              b: {entry: {assign: {at: event.at}}}
            """)
        _ = try run.pass(1_000_000)
        #expect(run.snapshot.context["at"] == "1970-01-01T00:01:30Z")
    }

    @Test func armedTimersAreTheSameAfterStoringAndLoading() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a:
                after: {5s: a}
                entry: [{send: {event: e, delay: 1s, id: x, data: {n: 1}}}, {send: {event: f, delay: 1s}}]
            """)
        let text = run.machine.text(of: run.snapshot)
        #expect(
            text.armed
                == #"[{"data":{"n":1},"due":1000,"event":"e","id":"x","kind":"timer","number":1,"seq":1},"#
                + #"{"due":1000,"event":"f","kind":"timer","number":2,"seq":1},"#
                + #"{"due":5000,"event":"after.5s.a","kind":"timer","number":3,"seq":1,"state":"a"}]"#)
        #expect(try run.machine.snapshot(of: text, status: .running, seq: 1) == run.snapshot)
    }
}
