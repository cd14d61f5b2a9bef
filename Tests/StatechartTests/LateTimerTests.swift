import Statechart
import Testing
import WorkflowJSON

/// Tests timers that are too late for some of their transitions, or for all: `skip` and `next` in `misfire`.
@Suite struct LateTimerTests {
    /// Takes the only timer of an instance a number of milliseconds after the start.
    private func fired(_ machine: Machine, at time: Int64) throws -> Macrostep {
        guard case .accepted(let start) = machine.apply(.start(), to: nil, as: .test) else {
            throw Refusal.notAccepted
        }
        return try fire(machine, start.snapshot, at: time)
    }

    private func fire(_ machine: Machine, _ snapshot: Snapshot, at time: Int64) throws -> Macrostep {
        let timer = try #require(snapshot.armed.next)
        let input = Input.coming(
            timer, at: timer.time(notBefore: .zero), firedAt: LogicalTime(milliseconds: time))
        guard case .accepted(let macrostep) = machine.apply(input, to: snapshot, as: .test, isTracing: true) else {
            throw Refusal.notAccepted
        }
        return macrostep
    }

    private func state(_ macrostep: Macrostep, of machine: Machine) -> String {
        machine.leafPaths(of: macrostep.snapshot.configuration).joined(separator: ",")
    }

    private static let three = """
        id: m
        initial: a
        states:
          a:
            after:
              10s:
                - {target: b, misfire: {skip: 2s}}
                - {target: c, misfire: {skip: 1m}}
                - d
          b: {}
          c: {}
          d: {}
        """

    @Test(arguments: [(10_000, "b"), (12_000, "b"), (12_001, "c"), (70_000, "c"), (70_001, "d"), (9_999_999, "d")])
    func aTransitionThatTheTimerIsTooLateForLetsTheNextBeTried(time: Int64, state: String) throws {
        let machine = try DefinitionReader.read(Self.three).machine
        let macrostep = try fired(machine, at: time)
        #expect(self.state(macrostep, of: machine) == state)
        #expect(macrostep.skipped == nil && macrostep.snapshot.armed.isEmpty)
    }

    @Test(arguments: [(Semantics.first, "a", true), (.second, "b", false)])
    func theFirstReleaseAskedTheTimerAlone(semantics: Semantics, state: String, isSkipped: Bool) throws {
        let text = """
            id: m
            initial: a
            states:
              a: {after: {10s: [{guard: 'true', target: b}, {target: c, misfire: {skip: 2s}}]}}
              b: {}
              c: {}
            """
        let machine = try DefinitionReader.read(text, semantics: semantics).machine
        let macrostep = try fired(machine, at: 13_000)
        #expect(self.state(macrostep, of: machine) == state)
        #expect((macrostep.skipped != nil) == isSkipped)
    }

    /// Returns a machine whose eventless transition would be taken if one had a turn after a timer that nothing takes.
    private static func hourly(_ delay: String = "1h") -> String {
        """
        id: m
        initial: a
        context: {n: 0}
        states:
          a:
            always: {guard: "event.name == 'after.1h.a' && context.n == 0", target: b}
            after:
              "\(delay)":
                target: a
                reenter: true
                actions: {assign: {n: context.n + 1}}
                misfire: {next: 10m}
          b: {}
        """
    }

    private static let hour: Int64 = 3_600_000
    private static let fifteenDays: Int64 = 15 * 24 * hour

    @Test func theDelayBeginsAnewWhenTheTimerIsTooLate() throws {
        let machine = try DefinitionReader.read(Self.hourly()).machine
        let macrostep = try fired(machine, at: Self.fifteenDays)
        let late = Self.fifteenDays - Self.hour
        #expect(macrostep.skipped == SkippedTimer(lateMilliseconds: late, isRearmed: true))
        #expect(macrostep.exited.isEmpty && macrostep.entered.isEmpty && macrostep.snapshot.context["n"] == 0)
        #expect(macrostep.snapshot.armed.map(\.event) == ["after.1h.a"])
        #expect(macrostep.snapshot.armed.map(\.due.milliseconds) == [Self.fifteenDays + Self.hour])
        #expect(macrostep.microsteps.flatMap(\.deeds).map(\.text) == ["skipped: 14d23h late"])
        // A timer that comes in time is taken.
        let next = try fire(machine, macrostep.snapshot, at: Self.fifteenDays + Self.hour + 600_000)
        #expect(next.skipped == nil && next.snapshot.context["n"] == 1 && next.snapshot.armed.count == 1)
    }

    /// A computed delay is computed from the clock's time, so it leads to a full hour again.
    @Test func aDelayThatIsComputedIsComputedAnew() throws {
        let machine = try DefinitionReader.read(Self.hourly("3600000 - event.at.getMinutes() * 60000")).machine
        let macrostep = try fired(machine, at: Self.fifteenDays + Self.hour / 2)
        #expect(macrostep.skipped?.isRearmed == true)
        #expect(macrostep.snapshot.armed.map(\.due.milliseconds) == [Self.fifteenDays + Self.hour])
    }

    @Test func aDelayThatCannotBeComputedAnewFailsTheInstance() throws {
        let text = Self.hourly("event.name == 'init' ? duration('1h') : duration(string(1 / 0))")
        let machine = try DefinitionReader.read(text).machine
        guard case .accepted(let start) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("refused")
            return
        }
        let timer = try #require(start.snapshot.armed.first)
        let late = LogicalTime(milliseconds: Self.fifteenDays)
        let input = Input.coming(timer, at: timer.due, firedAt: late)
        guard case .failed(let failed, .expressionFailed) = machine.apply(input, to: start.snapshot, as: .test) else {
            Issue.record("taken")
            return
        }
        #expect(failed.snapshot.armed.kept?.id == timer.id)
    }

    /// Transitions that are in time are tried first. Only if their guards are false, the others are found too late.
    @Test(arguments: [(true, "b", nil), (false, "a", true)] as [(Bool, String, Bool?)])
    func aGuardThatSaysNoLeavesTheTimerSkipped(holds: Bool, state: String, isRearmed: Bool?) throws {
        let text = """
            id: m
            initial: a
            states:
              a: {after: {10s: [{target: b, guard: '\(holds)'}, {target: c, misfire: {next: 2s}}]}}
              b: {}
              c: {}
            """
        let machine = try DefinitionReader.read(text).machine
        let macrostep = try fired(machine, at: 13_000)
        #expect(self.state(macrostep, of: machine) == state)
        #expect(macrostep.skipped?.isRearmed == isRearmed)
        #expect(macrostep.snapshot.armed.count == (isRearmed == true ? 1 : 0))
    }

    // MARK: What validating says

    private func warnings(_ transitions: String, _ others: String = "") -> [String] {
        let states = "{b: {type: final}, a: {\(others)\nafter: {1h: \(transitions)}}}"
        return diagnostics(of: "{id: m, initial: a, states: \(states)}")
    }

    @Test(arguments: [
        ("[{target: b, misfire: {skip: 1m}}, {target: b, misfire: {skip: 2m}}]", false),
        ("[{target: b, misfire: {skip: 1m}}, {target: b, misfire: {skip: 1m}}]", true),
        ("[{target: b, misfire: {skip: 1m}}, {target: b, misfire: {next: 30s}}]", true),
        ("[{target: b, misfire: {skip: 1m}}, b]", false), ("[b, {target: b, misfire: {skip: 1m}}]", true),
        ("[{target: b, misfire: fire}, b]", true),
    ])
    func aTransitionIsNeverTakenWhenAnotherIsInTimeForAsLong(transitions: String, isTold: Bool) {
        let told = warnings(transitions, "on: {x: b},").filter { $0.contains("never taken") }
        #expect(told.isEmpty != isTold, "\(told)")
    }

    /// Only a timer leads to the state, and it is too late for the transitions before.
    @Test(
        arguments: [
            ("[{target: b, misfire: {skip: 1m}}, c]", .second, false),
            ("[{target: b, misfire: {next: 1m}}, c]", .second, false),
            ("[{target: b, misfire: {skip: 1m}}, {target: c, misfire: {next: 2m}}]", .second, false),
            ("[b, c]", .second, true), ("[{target: b, misfire: fire}, c]", .second, true),
            ("[b, {target: c, misfire: {skip: 1m}}]", .second, true),
            ("[{target: b, misfire: {skip: 2m}}, {target: c, misfire: {skip: 1m}}]", .second, true),
            ("[{target: b, misfire: {skip: 1m}}, c]", .first, true),
        ] as [(String, Semantics, Bool)])
    func aStateIsReachedWhereItsTransitionMayBeTaken(transitions: String, semantics: Semantics, isTold: Bool) throws {
        let text = "{id: m, initial: a, states: {b: {type: final}, c: {type: final}, a: {after: {1h: \(transitions)}}}}"
        let told = try DefinitionReader.read(text, semantics: semantics).warnings.map(\.description)
        #expect(told.contains { $0.contains("never taken") } == isTold, "\(told)")
        #expect(told.contains { $0.hasSuffix("state 'c' cannot be reached") } == isTold, "\(told)")
    }

    private static let last =
        "2:9: warning: more than 10m late this timer is skipped, and state 'a' waits for nothing else; "
        + "'next' in place of 'skip' arms it anew"
    private static let own =
        "2:9: warning: more than 10m late this timer is skipped, and nothing arms it again; "
        + "'next' in place of 'skip' does"

    @Test(arguments: [
        ("{target: b, misfire: {skip: 10m}}", "", [last]), ("{target: b, misfire: {next: 10m}}", "", []),
        ("[{target: b, misfire: {skip: 10m}}, b]", "", []), ("{target: b, misfire: {skip: 10m}}", "on: {x: b},", []),
        ("{target: b, misfire: {skip: 10m}}", "invoke: {task: t, onDone: b, onError: b},", []),
        ("{target: a, reenter: true, misfire: {skip: 10m}}", "on: {x: b},", [own]),
        ("{target: a, reenter: true, misfire: {skip: 10m}}", "", [own]),
        ("{target: a, reenter: true, misfire: {next: 10m}}", "on: {x: b},", []),
    ])
    func aTimerThatIsDroppedForGoodIsTold(transitions: String, others: String, told: [String]) {
        #expect(warnings(transitions, others).filter { $0.contains("late this timer") } == told)
    }

    @Test func anotherTimerOrAnotherRegionMayGoOn() {
        let timer = "{target: b, misfire: {skip: 10m}}"
        for text in [
            "{id: m, initial: a, states: {b: {type: final}, a: {after: {1h: \(timer), 2h: b}}}}",
            "{id: m, initial: p, states: {p: {type: parallel, states: {x: {initial: a, "
                + "states: {b: {}, a: {after: {1h: \(timer)}}}}, y: {on: {z: {}}}}}}}",
            "{id: m, initial: p, states: {e: {}, p: {after: {1d: e}, initial: a, "
                + "states: {b: {}, a: {after: {1h: \(timer)}}}}}}",
        ] {
            #expect(diagnostics(of: text).filter { $0.contains("late this timer") } == [], "\(text)")
        }
        let inner =
            "{id: m, initial: p, states: {p: {after: {1h: {target: e, misfire: {skip: 10m}}}, initial: a, "
            + "states: {a: {}}}, e: {type: final}}}"
        #expect(diagnostics(of: inner).count { $0.contains("state 'p.a' waits for nothing else") } == 1)
    }
}
