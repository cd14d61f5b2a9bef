import Statechart
import Testing
import WorkflowJSON

@Suite struct SendTests {
    @Test func whatIsSentComesAfterwardsInItsOrderAndEachInItsOwnMacrostep() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {seen: []}
            states:
              a:
                on:
                  go: {target: b, actions: [{send: one}, {send: {event: two, data: {n: size(context.seen)}}}, {raise: inside}]}
              b:
                on:
                  '*': {actions: {assign: {seen: "context.seen + [event.name]"}}}
            """)
        try run.send("go")
        #expect(run.events == ["go", "one", "two"])
        #expect(run.snapshot.context["seen"] == ["inside", "one", "two"])
        #expect(run.last[2].input.event.data == ["n": 0])
        #expect(run.snapshot.armed.isEmpty)
    }

    @Test func aDelayIsToldAsADefinitionWritesIt() throws {
        let later = "{send: {event: x, delay: 172800000}}, {send: {event: x, delay: 90s}}"
        var run = try TimedRun("{id: m, initial: a, states: {a: {on: {x: {}, go: {actions: [\(later)]}}}}}")
        try run.send("go")
        #expect(run.deeds == ["send x in 2d", "send x in 1m30s"])
    }

    @Test func whatIsSentWithoutATakerChangesNothing() throws {
        var run = try TimedRun("{id: m, initial: a, states: {a: {on: {go: {actions: {send: nobody}}}}}}")
        try run.send("go")
        #expect(run.events == ["go", "nobody"] && run.failure == nil && run.snapshot.status == .running)
    }

    @Test func whatAnEventOfItsOwnUsedBeforeItFailedIsCounted() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  go: {actions: {send: burn}}
                  burn: {actions: {assign: {n: "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}
            """)
        let go = Input.event(Event(name: "go"))
        let chain = try run.machine.chain(go, from: run.snapshot, as: .test).get()
        let cost = try #require(chain.rest.last).macrostep.cost
        #expect(chain.refusal != nil && cost > 900_000, "\(cost)")
    }

    @Test func anErrorThatNobodyIsToldOfFailsTheInstanceAndKeepsTheEvent() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {target: b, actions: [{send: bad}, {send: good}]}}}
              b: {on: {bad: {actions: {assign: {n: 1 / context.n}}}, good: c}}
              c: {}
            """)
        try run.send("go")
        #expect(run.state == "b" && run.snapshot.status == .failed)
        #expect(run.failure?.message(for: "bad", in: run.machine).hasSuffix("failed: division by zero") == true)
        #expect(run.snapshot.armed.map(\.event) == ["bad", "good"])
        #expect(run.refusal(of: "good") == .failed)
    }

    @Test func aChainIsBoundedAndTheRestStaysInLine() throws {
        var run = try TimedRun("{id: m, initial: a, states: {a: {on: {go: {actions: {send: go}}}}}}")
        try run.send("go")
        #expect(run.last.count == StepLimits.chain + 1)
        #expect(run.snapshot.armed.map(\.event) == ["go"] && run.snapshot.armed.nextSent != nil)
    }

    @Test func whatIsSentInTheLastMacrostepIsDropped() throws {
        var run = try TimedRun(
            "{id: m, initial: a, states: {a: {on: {go: b}}, b: {type: final, entry: [{send: x}, {send: {event: y, delay: 1s}}]}}}"
        )
        try run.send("go")
        #expect(run.snapshot.status == .done && run.snapshot.armed.isEmpty && run.events == ["go"])
    }

    @Test func loopsAndChoicesRunTheirActions() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {items: [3, 5, 8], item: null, i: -1, even: 0, odd: 0}
            states:
              a:
                on:
                  count:
                    actions:
                      foreach:
                        array: context.items
                        item: item
                        index: i
                        actions:
                          choose:
                            - {guard: context.item % 2 == 0, actions: {assign: {even: context.even + context.item}}}
                            - {actions: {assign: {odd: context.odd + context.item}}}
            """)
        try run.send("count")
        #expect(run.context == #"{"even":8,"i":2,"item":8,"items":[3,5,8],"odd":8}"#)
    }

    @Test func aFailureEndsTheWholeBlockButNotWhatCameBefore() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {items: [1, 0, 2], item: 0, sum: 0, after: false}
            states:
              a:
                on:
                  go:
                    actions:
                      - {foreach: {array: context.items, item: item, actions: {assign: {sum: context.sum + 10 / context.item}}}}
                      - {assign: {after: true}}
                  error.execution: {}
            """)
        try run.send("go")
        #expect(run.context == #"{"after":false,"item":0,"items":[1,0,2],"sum":10}"#)
    }

    @Test func aChoiceWhoseGuardFailsGoesToTheNextAndTheBlockGoesOn() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0, way: '', after: false}
            states:
              a:
                on:
                  go:
                    actions:
                      - choose:
                          - {guard: 1 / context.n > 0, actions: {assign: {way: "'first'"}}}
                          - {actions: {assign: {way: "'second'"}}}
                      - {assign: {after: true}}
                  error.execution: {}
            """)
        try run.send("go")
        #expect(run.context == #"{"after":true,"n":0,"way":"second"}"#)
    }

    @Test(arguments: [
        ("{'map.a': '1'}", #"{"list":[1,{"k":1}],"map":{"a":1}}"#),
        ("{'map.new': '[]'}", #"{"list":[1,{"k":1}],"map":{"a":0,"new":[]}}"#),
        ("{'map[\"x-y\"]': 'true'}", #"{"list":[1,{"k":1}],"map":{"a":0,"x-y":true}}"#),
        ("{'list[0]': '2'}", #"{"list":[2,{"k":1}],"map":{"a":0}}"#),
        ("{'list[1].k': '2'}", #"{"list":[1,{"k":2}],"map":{"a":0}}"#),
        ("{'list[size(context.list)]': '3'}", #"{"list":[1,{"k":1},3],"map":{"a":0}}"#),
        ("{list: context.map, map: context.list}", #"{"list":{"a":0},"map":[1,{"k":1}]}"#),
    ])
    func assignReachesIntoMapsAndLists(assign: String, context: String) throws {
        var run = try TimedRun(
            """
            id: m
            strict: false
            initial: a
            context: {map: {a: 0}, list: [1, {k: 1}]}
            states: {a: {on: {go: {actions: {assign: \(assign)}}}}}
            """)
        try run.send("go")
        #expect(run.context == context)
    }

    @Test(arguments: [
        ("'list[5]': 1", "'list' has no element 5; it has 2"), ("'list[-1]': 1", "'list' has no element -1; it has 2"),
        ("'list[1][0]': 1", "'list[1]' is a map, not a list"), ("'map.a.b': 1", "'map.a' is an int, not a map"),
        ("map.b.c: 1", "'map' has no key 'b'"),
        ("'list[dyn(1.5)]': 1", "the key of a map is a string, the index of a list an int, not double"),
        ("map: '{\"a\": 0.0 / 0.0}'", "NaN has no JSON"),
    ])
    func assignThatCannotBeDoneSaysWhy(assign: String, message: String) throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {map: {a: 0}, list: [1, {k: 1}]}
            states: {a: {on: {go: {actions: {assign: {\(assign)}}}}}}
            """)
        guard case .expressionFailed(let failure) = run.refusal(of: "go") else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.message == message)
    }

    @Test func aKeyThatBeganAsADoubleStaysOneWhateverComesBetween() throws {
        var run = try TimedRun(
            """
            id: m
            strict: false
            initial: a
            context: {d: 0.5, n: 0}
            states: {a: {on: {set: {actions: {assign: {d: event.data, n: event.data}}}}}}
            """)
        for (data, context) in [
            (1, #"{"d":1.0,"n":1}"#), (.null, #"{"d":null,"n":null}"#), (2, #"{"d":2.0,"n":2}"#),
            (1.5, #"{"d":1.5,"n":1.5}"#), (3, #"{"d":3.0,"n":3}"#),
        ] as [(JSONValue, String)] {
            try run.send("set", data)
            #expect(run.context == context)
        }
    }

    @Test func aContextThatGrowsWithoutEndIsRefused() throws {
        var run = try TimedRun(
            "{id: m, initial: a, context: {t: x}, states: {a: {on: {grow: {actions: {assign: {t: context.t + context.t}}}}}}}"
        )
        var refusal: Refusal?
        for _ in 0..<30 where refusal == nil {
            refusal = run.refusal(of: "grow")
            if refusal == nil { try run.send("grow") }
        }
        guard case .expressionFailed(let failure) = refusal else {
            Issue.record("it must end")
            return
        }
        #expect(failure.message.contains("1048576"))
    }

    @Test func raisedAndSentDataHasTheDeclaredType() throws {
        let definition = { (data: String) in
            """
            id: m
            initial: a
            context: {d: 0.0}
            events: {measured: {data: {value: double}}}
            states:
              a:
                on:
                  go: {actions: {raise: {event: measured, data: {value: \(data)}}}}
                  measured: {actions: {assign: {d: event.data.value * 1.5}}}
            """
        }
        var run = try TimedRun(definition("2"))
        try run.send("go")
        #expect(run.snapshot.context["d"] == 3.0)
        guard case .expressionFailed(let failure) = try TimedRun(definition("dyn('two')")).refusal(of: "go") else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.message == "data.value is a string, not a double")
    }
}
