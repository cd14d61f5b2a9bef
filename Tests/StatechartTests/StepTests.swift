import Statechart
import Testing
import WorkflowJSON

/// Runs a definition through events, and has the result of each.
struct Run {
    let machine: Machine
    private(set) var last: Macrostep

    init(_ definition: String, data: JSONObject = [:], semantics: Semantics = .current) throws {
        machine = try DefinitionReader.read(definition, semantics: semantics).machine
        last = try Self.accepted(machine.apply(.start(with: data), to: nil, as: .test))
    }

    /// The paths of the active leaves.
    var configuration: [String] { machine.leafPaths(of: last.snapshot.configuration) }
    var exited: [String] { machine.paths(of: last.exited) }
    var entered: [String] { machine.paths(of: last.entered) }
    var context: String { JSONWriter.string(last.snapshot.context) }

    /// Sends an event that must be accepted.
    mutating func send(_ event: String) throws {
        last = try Self.accepted(machine.apply(.event(Event(name: event)), to: last.snapshot, as: .test))
    }

    /// Sends an event that must be refused. Returns the refusal.
    func refusal(of event: String) -> Refusal? {
        if case .refused(let refusal) = machine.apply(.event(Event(name: event)), to: last.snapshot, as: .test) {
            refusal
        } else {
            nil
        }
    }

    private static func accepted(_ outcome: Outcome) throws -> Macrostep {
        switch outcome {
        case .accepted(let macrostep): return macrostep
        case .refused(let refusal), .failed(_, let refusal): throw refusal
        }
    }
}

@Suite struct StepTests {
    static let editor = """
        id: editor
        initial: none
        states:
          none: {on: {filter: filter, text: text}}
          filter:
            initial: none
            on: {text: text, none: none, resume: .last}
            states:
              none: {on: {beauty: beauty, vintage: vintage}}
              beauty: {on: {back: none}}
              vintage: {on: {back: none}}
              last: {type: history, target: none}
          text:
            on: {resume: filter.last, filter: filter}
        """

    @Test func aRouteThatIsMissingIsRefusedAndChangesNothing() throws {
        var run = try Run("{id: m, initial: a, states: {a: {on: {go: b}}, b: {on: {back: a}}}}")
        #expect(run.refusal(of: "back") == .notAccepted)
        #expect(run.refusal(of: "nowhere") == .unknownEvent)
        try run.send("go")
        #expect(run.configuration == ["b"])
        #expect(run.exited == ["a"])
        #expect(run.entered == ["b"])
    }

    @Test func statesAreLeftInnermostFirstAndEnteredOutermostFirst() throws {
        var run = try Run(Self.editor)
        try run.send("filter")
        #expect(run.entered == ["filter", "filter.none"])
        try run.send("beauty")
        try run.send("text")
        #expect(run.exited == ["filter.beauty", "filter"])
    }

    @Test func historyFindsTheChildThatWasLeft() throws {
        var run = try Run(Self.editor)
        try run.send("filter")
        try run.send("vintage")
        try run.send("text")
        try run.send("resume")
        #expect(run.configuration == ["filter.vintage"])
        #expect(run.entered == ["filter", "filter.vintage"])
        try run.send("text")
        try run.send("filter")
        #expect(run.configuration == ["filter.none"])
    }

    @Test func historyWithoutMemoryGoesToItsDefault() throws {
        var run = try Run(Self.editor)
        try run.send("text")
        try run.send("resume")
        #expect(run.configuration == ["filter.none"])
    }

    @Test func deepHistoryRemembersLeaves() throws {
        var run = try Run(
            """
            id: deep
            initial: work
            states:
              work:
                initial: a
                on: {pause: paused}
                states:
                  memory: {type: history, history: deep}
                  a:
                    initial: one
                    states: {one: {on: {next: two}}, two: {}}
              paused: {on: {resume: work.memory}}
            """)
        try run.send("next")
        try run.send("pause")
        try run.send("resume")
        #expect(run.configuration == ["work.a.two"])
        #expect(run.entered == ["work", "work.a", "work.a.two"])
    }

    static let parallel = """
        id: review
        initial: review
        states:
          review:
            type: parallel
            onDone: approved
            on: {reject: rejected, again: {target: .legal}, restart: {target: .legal, reenter: true}}
            states:
              legal: {initial: pending, states: {pending: {on: {legal.ok: ok}}, ok: {type: final}}}
              finance: {initial: pending, states: {pending: {on: {finance.ok: ok}}, ok: {type: final}}}
          approved: {}
          rejected: {type: final}
        """

    @Test func aParallelStateIsDoneWhenAllRegionsAre() throws {
        var run = try Run(Self.parallel)
        #expect(run.configuration == ["review.legal.pending", "review.finance.pending"])
        try run.send("finance.ok")
        #expect(run.configuration == ["review.legal.pending", "review.finance.ok"])
        try run.send("legal.ok")
        #expect(run.configuration == ["approved"])
        #expect(
            run.exited == [
                "review.legal.pending", "review.finance.ok", "review.finance", "review.legal.ok", "review.legal",
                "review",
            ])
    }

    @Test func aTransitionBelowItsParallelSourceEntersAllRegionsAgain() throws {
        var run = try Run(Self.parallel)
        try run.send("finance.ok")
        try run.send("again")
        #expect(run.configuration == ["review.legal.pending", "review.finance.pending"])
        #expect(!run.exited.contains("review"))
        try run.send("restart")
        #expect(run.exited.last == "review")
        #expect(run.entered.first == "review")
    }

    @Test func aTopLevelFinalStateFinishesTheInstance() throws {
        var run = try Run(Self.parallel)
        try run.send("reject")
        #expect(run.last.snapshot.status == .done)
        #expect(run.configuration == ["rejected"])
        #expect(run.refusal(of: "legal.ok") == .finished)
    }

    @Test func exitActionsRunWhenTheMachineFinishes() throws {
        var run = try Run(
            """
            id: m
            context: {left: 0}
            initial: a
            states:
              a: {on: {end: z}}
              z: {type: final, exit: {assign: {left: 1}}}
            """)
        try run.send("end")
        #expect(run.context == #"{"left":1}"#)
        #expect(run.configuration == ["z"])
        #expect(run.exited == ["a"])
    }

    @Test func actionsRunInTheOrderExitTransitionEntry() throws {
        var run = try Run(
            """
            id: m
            initial: a
            context: {last: 0, exit: 0, move: 0, entry: 0}
            states:
              a:
                exit: [{assign: {exit: 1}}, {raise: left}]
                on: {go: {target: b, actions: [{assign: {move: 1}}, {raise: moved}]}}
              b:
                entry: [{assign: {entry: 1}}, {raise: arrived}]
                on:
                  left: {actions: {assign: {last: 1}}}
                  moved: {actions: {assign: {last: 2}}}
                  arrived: {actions: {assign: {last: 3}}}
            """)
        try run.send("go")
        #expect(run.context == #"{"entry":1,"exit":1,"last":3,"move":1}"#)
    }

    @Test func selfTransitionsLeaveTheSourceAloneUnlessTheyReenter() throws {
        var run = try Run(
            """
            id: m
            initial: a
            states:
              a:
                initial: one
                on: {soft: a, hard: {target: a, reenter: true}, none: {}}
                states: {one: {on: {next: two}}, two: {}}
            """)
        try run.send("next")
        try run.send("none")
        #expect(run.exited.isEmpty && run.entered.isEmpty)
        #expect(run.configuration == ["a.two"])
        try run.send("soft")
        #expect(run.exited == ["a.two"])
        #expect(run.entered == ["a.one"])
        try run.send("hard")
        #expect(run.exited == ["a.one", "a"])
        #expect(run.entered == ["a", "a.one"])
    }

    @Test func descriptorsAreTriedExactThenLongestPrefixThenAny() throws {
        var run = try Run(
            """
            id: m
            initial: a
            states:
              a: {on: {"*": any, "pay.*": pay, "pay.card.*": card, pay.card.visa: visa}}
              any: {on: {back: a}}
              pay: {on: {back: a}}
              card: {on: {back: a}}
              visa: {on: {back: a}}
            """)
        for (event, state) in [
            ("pay.card.visa", "visa"), ("pay.card.other", "card"), ("pay.card", "card"), ("pay", "pay"),
            ("pay.cash", "pay"), ("payment", "any"),
        ] {
            try run.send(event)
            #expect(run.configuration == [state], "\(event)")
            try run.send("back")
        }
    }

    @Test func anInnerTransitionPreemptsAnOuterOne() throws {
        var run = try Run(
            """
            id: m
            initial: a
            states:
              a:
                on: {go: outer}
                initial: b
                states: {b: {on: {go: c}}, c: {}}
              outer: {}
            """)
        try run.send("go")
        #expect(run.configuration == ["a.c"])
        try run.send("go")
        #expect(run.configuration == ["outer"])
    }

    @Test func eventlessTransitionsRunBeforeInternalEvents() throws {
        var run = try Run(
            """
            id: m
            initial: a
            states:
              a: {on: {go: b}}
              b: {entry: {raise: ping}, always: c, on: {ping: lost}}
              c: {on: {ping: d}}
              d: {}
              lost: {}
            """)
        try run.send("go")
        #expect(run.entered == ["b", "c", "d"])
    }

    @Test func aMachineThatNeverSettlesIsUndoneWithItsStatesNamed() throws {
        let run = try Run(
            """
            id: m
            initial: a
            states:
              a: {on: {go: b}}
              b: {entry: {raise: tick}, on: {tick: c}}
              c: {entry: {raise: tick}, on: {tick: b}}
            """)
        guard case .livelock(let states) = run.refusal(of: "go") else {
            Issue.record("a livelock must be refused")
            return
        }
        #expect(run.machine.paths(of: states) == ["b", "c"])
    }
}

@Suite struct FailureTests {
    static func definition(strict: Bool, handler: String) -> String {
        """
        id: m
        strict: \(strict)
        initial: a
        context: {list: null, seen: false}
        states:
          a:
            on:
              go:
                target: b
                actions: [{assign: {list.item: true}}, {assign: {seen: true}}]
          b: {on: {\(handler)}}
          caught: {}
        """
    }

    @Test func anUnhandledErrorUndoesTheMacrostep() throws {
        let run = try Run(Self.definition(strict: true, handler: "x: caught"))
        guard case .expressionFailed(let failure) = run.refusal(of: "go") else {
            Issue.record("an unhandled error must be refused")
            return
        }
        #expect(failure.expression == "assign list.item")
        #expect(failure.message == "'list' is null, not a map")
        #expect(failure.line == 10)
        #expect(run.configuration == ["a"])
    }

    @Test func aHandledErrorEndsItsBlockOnly() throws {
        var run = try Run(Self.definition(strict: true, handler: "error.execution: caught"))
        try run.send("go")
        #expect(run.configuration == ["caught"])
        #expect(run.context == #"{"list":null,"seen":false}"#)
    }

    @Test func aStarDoesNotHandleErrorsUnderStrict() throws {
        let strict = try Run(Self.definition(strict: true, handler: "'*': caught"))
        #expect(strict.refusal(of: "go") != nil)
        var lenient = try Run(Self.definition(strict: false, handler: "'*': caught"))
        try lenient.send("go")
        #expect(lenient.configuration == ["caught"])
    }

    @Test func withoutStrictAnUnknownEventIsRecordedAndChangesNothing() throws {
        var run = try Run(Self.definition(strict: false, handler: "x: caught"))
        var expected = run.last.snapshot
        expected.seq = 2
        try run.send("whatever")
        #expect(run.last.snapshot == expected)
    }

    @Test func startDataReplacesKeysAndUnknownKeysAreRefused() throws {
        let definition = "{id: m, initial: a, context: {amount: 0.5, note: null}, states: {a: {}}}"
        let run = try Run(definition, data: ["amount": 3])
        #expect(run.context == #"{"amount":3.0,"note":null}"#)
        #expect(throws: Refusal.invalidData("The context of 'm' has no key 'amuont'; its keys are amount, note")) {
            try Run(definition, data: ["amuont": 3])
        }
    }

    @Test func snapshotsAreTheSameAfterStoringAndLoading() throws {
        var run = try Run(StepTests.editor)
        for event in ["filter", "vintage", "text"] { try run.send(event) }
        let text = run.machine.text(of: run.last.snapshot)
        #expect(text.configuration == "text")
        #expect(text.memory == #"{"filter.last":["filter.vintage"]}"#)
        #expect(try run.machine.snapshot(of: text, status: .running, seq: 4) == run.last.snapshot)
    }

    @Test func whatDidNotChangeIsNotEncodedAgain() throws {
        var run = try Run(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  count: {actions: {assign: {n: context.n + 1}}}
                  wait: {actions: {send: {event: x, delay: 1d}}}
                  go: b
                initial: one
                states: {one: {on: {next: two}}, two: {}, last: {type: history}}
              b: {on: {back: a.last, end: c}}
              c: {type: final, output: {n: context.n}}
            """)
        var text = run.machine.text(of: run.last.snapshot)
        for event in ["count", "wait", "next", "go", "back", "go", "end"] {
            let before = run.last.snapshot
            try run.send(event)
            let (after, whole) = (run.last.snapshot, run.machine.text(of: run.last.snapshot))
            run.machine.update(&text, of: before, to: after)
            #expect(text == whole)
            // Only parts that the step left as they were are taken over.
            var new = SnapshotText(configuration: "?", context: "?", memory: "?", armed: "?", output: "?")
            run.machine.update(&new, of: before, to: after)
            #expect((new.context == "?") == (event != "count"))
            #expect((new.configuration == "?") == ["count", "wait"].contains(event))
            #expect(new.output == whole.output)
        }
        #expect(text.output == #"{"n":1}"#)
    }

    @Test func acceptanceTellsWhatEachEventWouldDo() throws {
        let run = try Run(StepTests.parallel)
        let answers = run.machine.acceptance(in: run.last.snapshot, as: .test, at: .zero)
        #expect(answers.map(\.descriptor) == ["again", "finance.ok", "legal.ok", "reject", "restart"])
        #expect(answers.allSatisfy { $0.isAccepted == true })
    }
}
