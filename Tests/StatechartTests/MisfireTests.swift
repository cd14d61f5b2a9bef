import Statechart
import Testing
import WorkflowJSON

/// Tests `misfire`: the effect of a timer that fires too late.
@Suite struct MisfireTests {
    @Test(arguments: [
        ("fire", Misfire.fire), ("{skip: 1h}", .skip(afterMilliseconds: 3_600_000)),
        ("{skip: PT1M}", .skip(afterMilliseconds: 60_000)), ("{skip: 0}", .skip(afterMilliseconds: 0)),
    ])
    func theRuleOfATimerIsRead(text: String, misfire: Misfire) throws {
        let timed = try DefinitionReader.read(oneState("after: {1s: {target: a, misfire: \(text)}}")).machine
        #expect(timed.transitions.last?.misfire == misfire)
        let sent = try DefinitionReader.read(oneState("entry: {send: {event: a, delay: 1s, misfire: \(text)}}")).machine
        guard case .send(let send) = sent.states[3].entry.first else {
            Issue.record("\(sent.states[3].entry)")
            return
        }
        #expect(send.misfire == misfire)
    }

    private static let two = oneState(
        "after: {1s: [{guard: 'true', target: a}, {target: b, misfire: {skip: 1m}}], 2s: a}")

    @Test func eachTransitionOfADelayHasARuleOfItsOwn() throws {
        let machine = try DefinitionReader.read(Self.two).machine
        #expect(machine.transitions.suffix(3).map(\.misfire) == [.fire, .skip(afterMilliseconds: 60_000), .fire])
        #expect(machine.states[3].timeouts.map(\.misfire) == [.fire, .fire])
        let next = try DefinitionReader.read(oneState("after: {1s: {target: a, misfire: {next: 10m}}}")).machine
        #expect(next.transitions.last?.misfire == .next(afterMilliseconds: 600_000))
    }

    @Test func underTheRulesOfTheFirstReleaseTheTransitionsOfADelayShareOne() throws {
        let machine = try DefinitionReader.read(Self.two, semantics: .first).machine
        #expect(machine.states[3].timeouts.map(\.misfire) == [.skip(afterMilliseconds: 60_000), .fire])
        #expect(machine.transitions.allSatisfy { $0.misfire == .fire })
        let text = oneState("after: {1s: [{guard: 'true', target: a, misfire: fire}, {target: b, misfire: {skip: 0}}]}")
        #expect(throws: DefinitionError.self) { try DefinitionReader.read(text, semantics: .first) }
        #expect(throws: Never.self) { try DefinitionReader.read(text) }
    }

    private static let rule = "'soon' is no delay; one is written \(DelayText.rule)"

    @Test(arguments: [
        (
            "after: {1s: {target: a, misfire: skip}}",
            "3:34: error: 'misfire' is 'fire', {skip: delay} or {next: delay}"
        ),
        (
            "entry: {send: {event: a, delay: 1s, misfire: skip}}",
            "3:46: error: 'misfire' is 'fire' or {skip: delay}"
        ),
        (
            "entry: {send: {event: a, delay: 1s, misfire: {next: 1s}}}",
            "3:53: error: 'next' belongs to a transition of 'after': what was sent has no delay that could begin anew"
        ),
        (
            "after: {1s: {target: a, misfire: {skip: 1m, next: 1m}}}",
            "3:51: error: 'misfire' has 'skip' or 'next', not both"
        ),
        ("after: {1s: {target: a, misfire: {skip: soon}}}", "3:41: error: 'skip' is how late is too late: \(rule)"),
        (
            "after: {1s: {target: a, misfire: {skip: -1s}}}",
            "3:41: error: 'skip' is how late is too late: a delay is not negative; 0 is at once"
        ),
        (
            "on: {c: {target: a, misfire: fire}}",
            "3:30: error: 'misfire' belongs to a transition of 'after' or to a 'send'"
        ),
        (
            "always: {target: a, misfire: fire}",
            "3:30: error: 'misfire' belongs to a transition of 'after' or to a 'send'"
        ),
        (
            "entry: {send: {event: a, misfire: {skip: 1s}}}",
            "3:35: error: 'misfire' goes with a 'delay': what is sent at once is never late"
        ),
        (
            "after: {1s: {target: a, misfire: {skipp: 1s}}}",
            "3:35: error: unknown key 'skipp' in 'misfire'; did you mean 'skip'?"
        ),
        (
            "misfire: fire",
            "3:1: error: 'misfire' does not belong to state 's'; it stands in a transition of 'after' or a 'send'"
        ),
    ])
    func mistakesAreToldWithTheirPlace(keys: String, message: String) {
        let text = keys.hasPrefix("on:") ? "{id: m, initial: s, \nstates: {a: {}, s: {\n\(keys)}}}" : oneState(keys)
        #expect(diagnostics(of: text).contains(message))
    }

    // MARK: The step

    private static let definition = """
        id: m
        initial: a
        context: {n: 0}
        states:
          a:
            after: {10s: {target: b, misfire: {skip: 2s}}}
            entry: {send: {event: e, delay: 10s}}
            on: {e: {actions: {assign: {n: context.n + 1}}}}
          b: {}
        """

    @Test(arguments: [(nil, "b"), (12_000, "b"), (12_001, "a"), (9_999_999, "a"), (5_000, "b")] as [(Int64?, String)])
    func aTimerIsSkippedWhenItIsLaterThanItMayBe(firedAt: Int64?, state: String) throws {
        let run = try TimedRun(Self.definition)
        let timer = try #require(run.snapshot.armed.first { $0.event == "after.10s.a" })
        let at = timer.time(notBefore: .zero)
        let input = Input.coming(timer, at: at, firedAt: firedAt.map(LogicalTime.init(milliseconds:)))
        #expect(input.event.at.milliseconds == 10_000)
        guard case .accepted(let macrostep) = run.machine.apply(input, to: run.snapshot, as: .test) else {
            Issue.record("refused")
            return
        }
        #expect(run.machine.leafPaths(of: macrostep.snapshot.configuration) == [state])
        #expect(macrostep.snapshot.armed.map(\.event) == ["e"])
        if state == "a" {
            var expected = run.snapshot
            expected.armed.removeAll { $0.event == "after.10s.a" }
            expected.seq += 1
            #expect(macrostep.snapshot == expected && macrostep.exited.isEmpty && macrostep.entered.isEmpty)
            let traced = run.machine.apply(input, to: run.snapshot, as: .test, isTracing: true)
            guard case .accepted(let told) = traced else {
                Issue.record("refused")
                return
            }
            let late = DelayText.text(milliseconds: (firedAt ?? 0) - 10_000)
            #expect(told.microsteps.flatMap(\.deeds).map(\.text) == ["skipped: \(late) late"])
        }
    }

    /// The lateness counts from the due time, even if the event has another time.
    @Test func theEventsOwnTimeDoesNotMakeATimerEarly() throws {
        let run = try TimedRun(Self.definition)
        let timer = try #require(run.snapshot.armed.first { $0.event == "after.10s.a" })
        let input = Input.coming(timer, at: timer.time(notBefore: LogicalTime(milliseconds: 20_000)))
        #expect(input.event.at.milliseconds == 20_000)
        guard case .accepted(let macrostep) = run.machine.apply(input, to: run.snapshot, as: .test) else {
            Issue.record("refused")
            return
        }
        #expect(run.machine.leafPaths(of: macrostep.snapshot.configuration) == ["a"])
    }

    @Test(arguments: [
        ("entry: {send: {event: a, delay: 1s, misfire: {skip: 2s}}}", Semantics.second, true),
        ("after: {1s: {target: a, misfire: {skip: 2s}}}", .first, true),
        ("after: {1s: {target: a, misfire: {skip: 2s}}}", .second, false),
    ])
    func aRuleOfTheTimerIsStoredWithIt(keys: String, semantics: Semantics, isStored: Bool) throws {
        let machine = try DefinitionReader.read(oneState(keys), semantics: semantics).machine
        guard case .accepted(let start) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("refused")
            return
        }
        let text = machine.text(of: start.snapshot)
        #expect(text.armed.contains(#""skip":2000"#) == isStored)
        #expect(try machine.snapshot(of: text, status: .running, seq: 1) == start.snapshot)
        let timer = try #require(start.snapshot.armed.first)
        #expect(machine.misfire(of: timer) == .skip(afterMilliseconds: 2_000))
    }
}
