import Statechart
import Testing

/// Tests the order of actions and events, and the states that a transition exits and enters. The cases are of SCXML,
/// Appendix D, and no public vector tells them from their neighbours.
///
/// In most machines a region `log` enters a state for every event that is raised, so that `entered` shows the order.
@Suite struct OrderTests {
    @Test func aParentIsEnteredBeforeAChildThatIsTheTarget() throws {
        var run = try Run(
            """
            id: m
            type: parallel
            states:
              main:
                initial: start
                states:
                  start: {on: {go: a.b.c}}
                  a:
                    initial: d
                    entry: {raise: a}
                    states:
                      b:
                        initial: e
                        entry: {raise: b}
                        states: {c: {entry: {raise: c}}, e: {entry: {raise: e}}}
                      d: {entry: {raise: d}}
              log:
                initial: none
                on: {a: .a, b: .b, c: .c, d: .d, e: .e}
                states: {none: {}, a: {}, b: {}, c: {}, d: {}, e: {}}
            """)
        try run.send("go")
        #expect(run.entered == ["main.a", "main.a.b", "main.a.b.c", "log.a", "log.b", "log.c"])
        #expect(run.exited == ["main.start", "log.none", "log.a", "log.b"])
    }

    @Test func initialActionsRunBetweenTheEntryOfAStateAndThatOfItsChild() throws {
        let run = try Run(
            """
            id: m
            type: parallel
            states:
              log:
                initial: none
                on: {one: .one, two: .two, three: .three}
                states: {none: {}, one: {}, two: {}, three: {}}
              main:
                entry: {raise: one}
                initial: {target: a.b, actions: {raise: two}}
                states:
                  a: {initial: b, entry: {raise: three}, states: {b: {}}}
            """)
        #expect(run.entered == ["log", "log.none", "main", "main.a", "main.a.b", "log.one", "log.two", "log.three"])
    }

    @Test func exitActionsOfAllStatesRunBeforeThoseOfTheTransitions() throws {
        var run = try Run(
            """
            id: m
            type: parallel
            states:
              one:
                initial: a
                states: {a: {exit: {raise: x}, on: {go: {target: b, actions: {raise: t}}}}, b: {entry: {raise: e}}}
              two:
                initial: a
                states: {a: {exit: {raise: y}, on: {go: {target: b, actions: {raise: u}}}}, b: {entry: {raise: f}}}
              log:
                initial: none
                on: {x: .x, y: .y, t: .t, u: .u, e: .e, f: .f}
                states: {none: {}, x: {}, y: {}, t: {}, u: {}, e: {}, f: {}}
            """)
        try run.send("go")
        #expect(run.entered == ["one.b", "two.b", "log.y", "log.x", "log.t", "log.u", "log.e", "log.f"])
    }

    @Test func doneComesAfterWhatTheFinalStateRaises() throws {
        var run = try Run(
            """
            id: m
            type: parallel
            states:
              main:
                initial: a
                states:
                  a: {initial: b, states: {b: {on: {go: c}}, c: {type: final, entry: {raise: last}}}}
              log:
                initial: none
                on: {last: .last, done.state.main.a: .done}
                states: {none: {}, last: {}, done: {}}
            """)
        try run.send("go")
        #expect(run.entered == ["main.a.c", "log.last", "log.done"])
    }

    @Test func aRegionIsDoneBeforeItsParallelState() throws {
        let run = try Run(
            """
            id: m
            type: parallel
            states:
              main:
                type: parallel
                states:
                  a: {initial: z, states: {z: {type: final}}}
                  b: {initial: z, states: {z: {type: final}}}
              log:
                initial: none
                on: {done.state.main.a: .a, done.state.main.b: .b, done.state.main: .main}
                states: {none: {}, a: {}, b: {}, main: {}}
            """)
        #expect(run.entered.suffix(3) == ["log.a", "log.b", "log.main"])
    }

    @Test func onDoneIsTriedAfterWhatOnSaysAboutTheSameEvent() throws {
        let run = try Run(
            """
            id: m
            initial: a
            states:
              a: {initial: z, onDone: c, on: {done.state.a: b}, states: {z: {type: final}}}
              b: {}
              c: {}
            """)
        #expect(run.configuration == ["b"])
    }

    @Test(arguments: [(StepLimits.work - 1, true), (StepLimits.work, false)])
    func aMacrostepHasAThousandMicrostepsAndInternalEventsAtMost(raised: Int, settles: Bool) throws {
        let raises = Array(repeating: "{raise: x}", count: raised).joined(separator: ", ")
        let run = try Run("{id: m, initial: a, states: {a: {on: {go: {actions: [\(raises)]}}}}}")
        let isLivelock = if case .livelock = run.refusal(of: "go") { true } else { false }
        #expect(isLivelock == !settles)
    }
}

@Suite struct DomainTests {
    static let memory = """
        id: m
        initial: a
        states:
          a:
            initial: one
            on: {leave: b}
            states:
              memory: {type: history, target: one.second}
              one: {initial: first, on: {again: memory, next: two}, states: {first: {}, second: {}}}
              two: {}
          b: {on: {home: a}}
        """

    @Test func theDomainOfATransitionToHistoryIsThatOfItsDefault() throws {
        var run = try Run(Self.memory)
        try run.send("again")
        #expect(run.exited == ["a.one.first"])
        #expect(run.entered == ["a.one.second"])
    }

    @Test func theDomainOfATransitionToHistoryIsThatOfWhatItRemembers() throws {
        var run = try Run(Self.memory)
        for event in ["next", "leave", "home", "again"] { try run.send(event) }
        #expect(run.exited == ["a.one.first", "a.one"])
        #expect(run.entered == ["a.two"])
    }

    @Test func aLeafThatIsItsOwnTargetIsNotEnteredWhenAnotherRegionLeavesForGood() throws {
        var run = try Run(
            """
            id: m
            initial: p
            states:
              p:
                type: parallel
                states:
                  r: {on: {go: {target: r, actions: {raise: stayed}}}}
                  s: {on: {go: "#out"}}
              out: {on: {stayed: told}}
              told: {}
            """, semantics: .first)
        try run.send("go")
        #expect(run.exited == ["p.s", "p.r", "p", "out"])
        #expect(run.entered == ["out", "told"])
        #expect(run.configuration == ["told"])
    }

    @Test func aHistoryStateAboveTheDomainEntersNothingOutsideOfIt() throws {
        var run = try Run(
            """
            id: m
            initial: main
            states:
              main:
                initial: p
                states:
                  memory: {type: history, target: p.r.two}
                  p:
                    type: parallel
                    states:
                      r: {initial: one, states: {one: {on: {go: "#main.memory"}}, two: {}}}
                      s: {initial: one, states: {one: {on: {next: two}}, two: {}}}
            """)
        try run.send("next")
        try run.send("go")
        #expect(run.exited == ["main.p.r.one"])
        #expect(run.entered == ["main.p.r.two"])
        #expect(run.configuration == ["main.p.r.two", "main.p.s.two"])
    }

    @Test func theDomainIsNotAskedAgainWhenHistoryWasRecorded() throws {
        var run = try Run(
            """
            id: m
            initial: p
            states:
              p:
                type: parallel
                states:
                  memory: {type: history, history: deep}
                  r: {initial: one, states: {one: {on: {go: "#p.memory", next: two}}, two: {}}}
            """)
        try run.send("go")
        #expect(run.exited == ["p.r.one", "p.r", "p"])
        #expect(run.entered == ["p", "p.r", "p.r.one"])
        #expect(run.configuration == ["p.r.one"])
    }

    @Test func aParallelRootIsDoneWhenARegionThatIsParallelIsDoneLast() throws {
        var run = try Run(
            """
            id: m
            type: parallel
            states:
              a: {initial: x, states: {x: {on: {one: z}}, z: {type: final}}}
              b:
                type: parallel
                states: {c: {initial: x, states: {x: {on: {two: z}}, z: {type: final}}}}
            """)
        try run.send("one")
        #expect(run.last.snapshot.status == .running)
        try run.send("two")
        #expect(run.last.snapshot.status == .done)
    }
}
