import Statechart
import Testing
import WorkflowJSON

/// Tests each difference of a later semantics from that of 0.1, with the results of both.
@Suite struct SemanticsTests {
    private static let regions = """
        {id: m, initial: p, states: {done: {}, p: {type: parallel, on: {go: done, jump: done, stay: {actions: {raise: x}}},
          states: {a: {initial: x, states: {x: {on: {go: x, jump: {}, stay: x}}}}, b: {}}}}}
        """

    @Test(arguments: [(Semantics.first, ["done"]), (.second, ["p.a.x", "p.b"])])
    func aSelfTransitionOfARegionPreemptsItsAncestors(semantics: Semantics, leaves: [String]) throws {
        var run = try Run(Self.regions, semantics: semantics)
        try run.send("go")
        #expect(run.configuration == leaves)
    }

    /// A transition without a target exits nothing, so it conflicts with nothing.
    @Test(arguments: [Semantics.first, .second])
    func aTransitionWithoutTargetPreemptsNothing(semantics: Semantics) throws {
        var run = try Run(Self.regions, semantics: semantics)
        try run.send("stay")
        #expect(run.configuration == ["p.a.x", "p.b"])
        try run.send("jump")
        #expect(run.configuration == ["done"])
    }

    /// The source stays active, and so do the regions beside it.
    @Test(arguments: [Semantics.first, .second])
    func regionsThatStayInsideAreNotInConflict(semantics: Semantics) throws {
        var run = try Run(
            """
            {id: m, type: parallel, context: {n: 0}, states: {
              a: {initial: x, on: {go: {target: .y, actions: {assign: {n: context.n + 1}}}}, states: {x: {}, y: {}}},
              b: {initial: x, states: {x: {on: {go: {target: x, actions: {assign: {n: context.n + 10}}}}}}}}}
            """, semantics: semantics)
        try run.send("go")
        #expect(run.configuration == ["a.y", "b.x"])
        #expect(run.context == #"{"n":11}"#)
    }

    /// An ancestor that stays inside is preempted by a descendant that does.
    @Test(arguments: [(Semantics.first, #"{"n":11}"#), (.second, #"{"n":10}"#)])
    func anAncestorThatStaysInsideIsPreempted(semantics: Semantics, context: String) throws {
        var run = try Run(
            """
            {id: m, context: {n: 0}, initial: p, states: {p: {type: parallel,
              on: {go: {target: .a, actions: {assign: {n: context.n + 1}}}}, states: {
              a: {on: {go: {target: a, actions: {assign: {n: context.n + 10}}}}}, b: {}}}}}
            """, semantics: semantics)
        try run.send("go")
        #expect(run.configuration == ["p.a", "p.b"])
        #expect(run.context == context)
    }

    private static let history = """
        id: m
        context: {n: 0}
        initial: c
        states:
          c:
            initial: s
            states:
              s:
                initial: x
                entry: {assign: {n: context.n + 1}}
                on: {again: ../h, own: .o, written: {target: s}}
                states: {x: {on: {next: y}}, y: {}, o: {type: history}}
              t: {}
              h: {type: history}
        """
        .replacing("../h", with: "'#m.c.h'")

    @Test(arguments: [(Semantics.first, #"{"n":1}"#, [String]()), (.second, #"{"n":2}"#, ["c.s.y", "c.s"])])
    func aHistoryThatStandsForTheSourceLeavesIt(semantics: Semantics, context: String, exited: [String]) throws {
        var run = try Run(Self.history, semantics: semantics)
        try run.send("next")
        try run.send("again")
        #expect(run.configuration == ["c.s.x"])
        #expect(run.context == context)
        #expect(run.exited == (exited.isEmpty ? ["c.s.y"] : exited))
    }

    /// A history state below the source stands for a state below it, which is no reason to exit the source.
    @Test(arguments: [Semantics.first, .second], ["own", "written"])
    func aTransitionToItselfOrBelowStaysInside(semantics: Semantics, event: String) throws {
        var run = try Run(Self.history, semantics: semantics)
        try run.send("next")
        try run.send(event)
        #expect(run.context == #"{"n":1}"#)
        #expect(!run.exited.contains("c.s"))
    }

    private static let texts = """
        id: m
        strict: false
        context: {wait: 30d, until: '', clock: ''}
        initial: a
        states:
          a:
            on:
              wait: {actions: {assign: {until: event.at + duration(context.wait)}}}
              clock: {actions: {assign: {clock: "'%02d'.format([7])"}}}
        """

    @Test(arguments: [
        (Semantics.first, #"{"clock":"","until":"","wait":"30d"}"#),
        (.second, #"{"clock":"07","until":"1970-01-31T00:00:00Z","wait":"30d"}"#),
    ])
    func textsThatAreComputedHaveDaysAndFormatsAWidth(semantics: Semantics, context: String) throws {
        var run = try Run(Self.texts, semantics: semantics)
        try run.send("wait")
        try run.send("clock")
        #expect(run.context == context)
    }

    private static let typed = """
        id: m
        context: {left: 1h}
        types: {context: {left: duration}}
        events: {keep: {data: {left: duration}}}
        initial: a
        states: {a: {on: {keep: {actions: {assign: {left: event.data.left}}}, find: {actions: {assign: {left: "'2' + 'd'"}}}}}}
        """

    @Test(arguments: [(Semantics.first, false), (.second, true)])
    func dataMayBeADurationInDays(semantics: Semantics, isTaken: Bool) throws {
        var run = try TimedRun(Self.typed, semantics: semantics)
        #expect((run.refusal(of: "keep", ["left": "2d"]) == nil) == isTaken)
        #expect((run.refusal(of: "find") == nil) == isTaken)
        if isTaken { try run.send("keep", ["left": "2d"]) }
        #expect(run.context == (isTaken ? #"{"left":"2d"}"# : #"{"left":"1h"}"#))
        let initial = try? TimedRun(Self.typed.replacing("1h", with: "2d"), semantics: semantics)
        #expect((initial != nil) == isTaken)
    }

    /// Only differences that can affect a definition are reported.
    @Test func differencesAreThoseThatADefinitionCanMeet() throws {
        func differences(_ text: String) throws -> [String] {
            try DefinitionReader.read(text).machine.differences(from: .first, in: text)
        }
        #expect(
            try differences(Self.regions) == [
                "line 2: the transition of 'p.a.x' to itself with 'go' preempts those of its ancestors and of other "
                    + "regions that leave it"
            ])
        #expect(
            try differences(Self.history) == [
                "line 11: where history stands for 'c.s' itself, the state is left and entered"
            ])
        #expect(
            try differences(Self.texts) == [
                "durations in texts that are computed, or are data, may be '30d', '1w' or 'P3D'",
                "'format' knows '%02d'",
            ])
        let late = """
            {id: m, initial: a, states: {b: {}, a: {after: {1h: [{target: b, guard: "In('a')", misfire: {skip: 1m}}, b]}}}}
            """
        #expect(
            try differences(late) == [
                "line 1: when a timer of 'a' comes late, each transition of its delay has its own 'misfire', and one that "
                    + "is too late lets the next be tried"
            ])
        #expect(try differences(late.replacing("misfire: {skip: 1m}", with: "actions: []")) == [])
        #expect(try differences("{id: m, initial: a, states: {a: {after: {\"duration('1h') * 2\": a}}}}") == [])
        #expect(try differences(Self.regions.replacing("go: x", with: "walk: x")) == [])
        let machine = try DefinitionReader.read(Self.regions).machine
        #expect(machine.differences(from: .second, in: Self.regions) == [])
    }
}
