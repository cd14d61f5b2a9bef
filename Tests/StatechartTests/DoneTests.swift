import Statechart
import Testing

/// Tests that a done state raises its event, whichever part of it ended last.
@Suite struct DoneTests {
    /// A machine with four regions on three levels.
    static let regions = """
        a: {initial: open, states: {open: {on: {a: end}}, end: {type: final}}}, middle: {type: parallel, states: {
        b: {initial: open, states: {open: {on: {b: end}}, end: {type: final}}}, inner: {type: parallel, states: {
        c: {initial: open, states: {open: {on: {c: end}}, end: {type: final}}},
        d: {initial: open, states: {open: {on: {d: end}}, end: {type: final}}}}}}}
        """
    static let definition = """
        {id: m, initial: outer, context: {done: []}, states: {
        outer: {type: parallel, onDone: after, states: {\(regions)},
        on: {'done.state.*': {actions: {assign: {done: 'context.done + [event.name]'}}}}},
        after: {}}}
        """

    static let orders = ["a", "b", "c", "d"].reduce([[]]) { orders, event in
        orders.flatMap { order in (0...order.count).map { order[..<$0] + [event] + order[$0...] } }.map(Array.init)
    }

    @Test(arguments: orders)
    func parallelStatesInsideEachOtherAreDoneInAnyOrder(order: [String]) throws {
        var run = try Run(Self.definition)
        for event in order.dropLast() {
            try run.send(event)
            #expect(run.configuration != ["after"], "too early, after '\(event)'")
        }
        try run.send(order[3])
        #expect(run.configuration == ["after"])
    }

    @Test func theInnermostSaysSoFirstAndEachOnce() throws {
        var run = try Run(
            Self.definition.replacing(
                "onDone: after", with: "onDone: {actions: {assign: {done: 'context.done + [event.name]'}}}"))
        for event in ["a", "b", "d", "c"] { try run.send(event) }
        #expect(
            run.context == """
                {"done":["done.state.outer.a","done.state.outer.middle.b","done.state.outer.middle.inner.d",\
                "done.state.outer.middle.inner.c","done.state.outer.middle.inner","done.state.outer.middle",\
                "done.state.outer"]}
                """)
    }

    /// A state above a compound state waits for that state's own end, not for the ends below it.
    @Test func aCompoundStateBetweenParallelOnesHasAnEndOfItsOwn() throws {
        var run = try Run(
            """
            id: m
            initial: outer
            states:
              outer:
                type: parallel
                onDone: after
                states:
                  a:
                    initial: inner
                    states:
                      inner:
                        type: parallel
                        on: {leave: end}
                        states: {b: {initial: open, states: {open: {on: {b: end}}, end: {type: final}}}}
                      end: {type: final}
              after: {}
            """)
        try run.send("b")
        #expect(run.configuration == ["outer.a.inner.b.end"])
        try run.send("leave")
        #expect(run.configuration == ["after"])
    }

    @Test(arguments: orders)
    func aParallelRootIsDoneInAnyOrder(order: [String]) throws {
        var run = try Run("{id: m, type: parallel, states: {\(Self.regions)}}")
        for event in order { try run.send(event) }
        #expect(run.last.snapshot.status == .done)
    }
}
