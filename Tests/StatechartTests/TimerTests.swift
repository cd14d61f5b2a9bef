import JSON
import Statechart
import Testing

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
        ("1000", 1_000), ("0", 0),
        ("context.n * 2", 2_000), ("duration('90s')", 90_000), ("'2m'", 120_000), ("context.d", 1_500),
        ("context.t", 5_000),
    ])
    func delaysHaveTheseForms(delay: String, milliseconds: Int64) throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 1000, d: 1500.4, t: 5s}
            states:
              a: {after: {"\(delay)": b}}
              b: {}
            """)
        #expect(run.snapshot.armed.map(\.due.milliseconds) == [milliseconds])
    }

    @Test(arguments: [
        ("0 - 1", "a delay is between 0 and a hundred years"),
        ("'soon'", "'soon' is no delay; one is written \(DelayText.rule)"),
        ("true", "a delay is a duration, milliseconds or a text, not bool; one is written \(DelayText.rule)"),
        ("9223372036854775807", "a delay is between 0 and a hundred years"),
        ("duration('4000000000s')", "a delay is between 0 and a hundred years"),
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
                == #"[{"data":{"n":1},"due":1000,"event":"e","id":"x","number":1},"#
                + #"{"due":1000,"event":"f","number":2},{"due":5000,"event":"after.5s.a","number":3,"state":"a"}]"#)
        #expect(try run.machine.snapshot(of: text, status: .running) == run.snapshot)
    }
}
