import Statechart
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests the actions of a person in the pure step, with a rule for each kind.
@Suite(.ownThreads) struct RepairStepTests {
    private static let machine = """
        id: pot
        initial: idle
        context: {n: 0, by: 0, rate: 1.5, customer: {name: Ann}, items: [{price: 1}], trail: []}
        types: {context: {customer: 'map(string, string)'}}
        states:
          idle:
            on:
              poke: {actions: [{send: count}]}
              count: {actions: {assign: {n: 1 / context.by}}}
              go: outer.inner
            always: {target: rich, guard: context.n > 1000}
            after: {1h: {target: rich, actions: {assign: {n: 1 / context.by}}}}
          outer:
            initial: inner
            exit: [{assign: {trail: "context.trail + ['outer']"}}, {send: late}, {raise: lost}]
            after: {1d: idle}
            states:
              inner:
                exit: [{assign: {n: 1 / context.by}}, {assign: {trail: "context.trail + ['never']"}}]
                invoke: {id: work, task: t}
          rich: {on: {error.invoke.work: idle}}
        """

    /// Returns an instance that has failed on `count`.
    private static func failed() throws -> TimedRun {
        var run = try TimedRun(machine)
        try run.send("poke")
        try #require(run.snapshot.status == .failed)
        return run
    }

    // MARK: cancel

    @Test func aCancelRunsExitActionsInnermostFirstAndKeepsTheState() throws {
        var run = try TimedRun(Self.machine)
        try run.send("go")
        try run.ask(.cancelled(run.word("cancel")))
        #expect(run.snapshot.status == .cancelled && run.state == "outer.inner" && run.snapshot.armed.isEmpty)
        // The first block ended where it failed, and what the second sent comes to nobody.
        #expect(run.snapshot.context["trail"] == ["outer"] && run.last.count == 1)
        guard case .expressionFailed(let failure)? = run.last[0].macrostep.exitFailure else {
            Issue.record("no exit action failed")
            return
        }
        #expect(run.machine[failure.state].path == "outer.inner" && failure.message == "division by zero")
        #expect(run.deeds.contains("failed: assign n: 1 / context.by: division by zero"))
        #expect(run.last[0].macrostep.exited.isEmpty)
        #expect(run.refusal(of: "go") == .finished)
        for again in [Input.cancelled(run.word("cancel")), run.setting(["n": 1])] {
            #expect(run.refusal(of: again) == .finished)
        }
        #expect(run.refusal(of: .suspended(run.word("suspend"))) == .finished)
    }

    @Test func aCancelWithoutActionsRunsNone() throws {
        var run = try TimedRun(Self.machine)
        try run.send("go")
        try run.ask(.cancelled(run.word("cancel", ["actions": false])))
        #expect(run.snapshot.status == .cancelled && run.snapshot.context["trail"] == [])
        #expect(run.last[0].macrostep.exitFailure == nil && run.snapshot.armed.isEmpty)
    }

    @Test func exitActionsThatNeverEndUndoTheCancel() throws {
        let list = Array(repeating: "0", count: 300).joined(separator: ", ")
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {i: 0, j: 0, k: 0, l: [\(list)]}
            states:
              a:
                exit:
                  - foreach:
                      array: context.l
                      item: i
                      actions:
                        - foreach:
                            array: context.l
                            item: j
                            actions: {foreach: {array: context.l, item: k, actions: {assign: {k: 1}}}}
            """)
        guard case .expressionFailed? = run.refusal(of: .cancelled(run.word("cancel"))) else {
            Issue.record("it has an end")
            return
        }
        try run.ask(.cancelled(run.word("cancel", ["actions": false])))
        #expect(run.snapshot.status == .cancelled)
    }

    @Test func aFailedAndASuspendedInstanceCanBeCancelled() throws {
        var run = try Self.failed()
        try run.ask(.cancelled(run.word("cancel")))
        #expect(run.snapshot.status == .cancelled && run.snapshot.armed.isEmpty)
        run = try TimedRun(Self.machine)
        try run.ask(.suspended(run.word("suspend")))
        try run.ask(.cancelled(run.word("cancel")))
        #expect(run.snapshot.status == .cancelled)
    }

    // MARK: skip, retry

    @Test func aSkipDropsWhatTheInstanceFailedOn() throws {
        var run = try Self.failed()
        #expect(run.refusal(of: .resumed(run.word("resume"))) == .failed)
        try run.ask(.skipped(run.word("skip", ["event": "count"])))
        #expect(run.snapshot.status == .running && run.snapshot.armed.map(\.event) == ["after.1h.idle"])
        #expect(run.refusal(of: .skipped(run.word("skip"))) == .notAccepted)
    }

    @Test func aRetryAfterASetTakesTheNewContext() throws {
        var run = try Self.failed()
        try run.ask(run.setting(["by": 1]))
        #expect(run.snapshot.status == .failed && run.snapshot.armed.kept?.isUnsettled == true)
        try run.ask(try run.retry())
        #expect(run.snapshot.status == .running && run.snapshot.context["n"] == 1)
    }

    /// `always` has its turn first and leaves the state, after which no state takes the event.
    @Test func aRetryAfterASetSettlesFirst() throws {
        var run = try Self.failed()
        try run.ask(run.setting(["n": 2000]))
        #expect(run.state == "idle")
        try run.ask(try run.retry())
        #expect(run.state == "rich" && run.snapshot.status == .running && run.snapshot.context["n"] == 2000)
        #expect(run.events == ["count"])
    }

    /// A timer ends with the state that the settling exits.
    @Test func aTimerOfAStateThatSettlingLeavesIsGone() throws {
        var run = try TimedRun(Self.machine)
        _ = try run.pass(3_600_000)
        #expect(run.snapshot.status == .failed && run.snapshot.armed.kept?.event == "after.1h.idle")
        try run.ask(run.setting(["n": 2000]))
        try run.ask(try run.retry())
        #expect(run.state == "rich" && run.snapshot.armed.isEmpty && run.snapshot.context["n"] == 2000)
        #expect(run.last.count == 1)
    }

    @Test func aRetryThatFailsAgainStaysUnsettled() throws {
        var run = try Self.failed()
        try run.ask(run.setting(["rate": 2]))
        #expect(run.snapshot.context["rate"] == .double(2))
        try run.ask(try run.retry())
        #expect(run.snapshot.status == .failed && run.snapshot.armed.kept?.isUnsettled == true)
        try run.ask(run.setting(["by": 2]))
        try run.ask(try run.retry())
        #expect(run.snapshot.status == .running)
    }

    /// Rows of 0.1.0 know no `set`, so their retries do not settle.
    @Test func aRetryWithoutASetDoesNotSettle() throws {
        var run = try Self.failed()
        let text = run.machine.text(of: run.snapshot)
        #expect(!text.armed.contains("unsettled"))
        try run.ask(run.setting(["by": 1]))
        let set = run.machine.text(of: run.snapshot)
        #expect(set.armed.contains(#""unsettled":true"#))
        let read = try run.machine.snapshot(of: set, status: .failed, seq: run.snapshot.seq)
        #expect(read == run.snapshot)
    }

    @Test func anInvocationThatIsTriedAgainAfterASetSettlesToo() throws {
        var run = try TimedRun(Self.machine)
        try run.send("go")
        try run.fail("work", ["type": "broken"])
        #expect(run.snapshot.status == .failed)
        let kept = try #require(run.snapshot.armed.kept)
        try run.ask(run.setting(["n": 2000]))
        let place: JSONValue = ["seq": .int(kept.id.seq), "number": .int(Int64(kept.id.number))]
        try run.ask(.effect(run.word("retry", ["id": "work", "invoke": place])))
        #expect(run.snapshot.status == .running && run.snapshot.armed.kept == nil)
        #expect(run.snapshot.armed.invocation("work")?.isUnsettled == false)
    }

    // MARK: suspend, resume

    @Test func whileSuspendedNothingComes() throws {
        var run = try TimedRun(Self.machine)
        try run.ask(.suspended(run.word("suspend")))
        #expect(run.snapshot.status == .suspended && run.refusal(of: "go") == .suspended)
        #expect(run.refusal(of: .suspended(run.word("suspend"))) == .suspended)
        #expect(try run.pass(7_200_000) == [] && run.snapshot.armed.count == 1)
        try run.ask(run.setting(["n": 2000]))
        #expect(run.state == "idle")
        try run.ask(.resumed(run.word("resume")))
        #expect(run.state == "rich" && run.snapshot.status == .running && run.snapshot.armed.isEmpty)
        #expect(run.refusal(of: .resumed(run.word("resume"))) == .notAccepted)
    }

    // MARK: set

    @Test func aSetOfARunningInstanceSettles() throws {
        var run = try TimedRun(Self.machine)
        try run.ask(run.setting(["n": 2000, "customer.phone": "1", "items[0].price": 2, "items[1]": 3]))
        #expect(run.state == "rich")
        #expect(run.snapshot.context["customer"] == ["name": "Ann", "phone": "1"])
        #expect(run.snapshot.context["items"] == [["price": 2], 3])
        #expect(run.deeds.contains("set n = 2000"))
        try run.ask(run.setting([:], unset: ["customer.phone", "items[0][\"price\"]"]))
        #expect(run.snapshot.context["customer"] == ["name": "Ann"] && run.snapshot.context["items"] == [[:], 3])
    }

    private static let refused: [(JSONObject, [String], String)] = [
        (["rat": 1], [], "The context of 'pot' has no key 'rat'; did you mean 'rate'?"),
        (["customer.nam.x": 1], [], "'customer' has no key 'nam'; did you mean 'name'?"),
        (["n": "x"], [], "'n' cannot be set: n is a string, not an int"),
        (["customer.name": 1], [], "'customer.name' cannot be set: customer.name is an int, not a string"),
        (["n.x": 1], [], "'n.x' cannot be set: 'n' is an int, not a map"),
        (["items[7]": 1], [], "'items[7]' cannot be set: 'items' has no element 7; it has 1"),
        (
            ["items[x]": 1], [],
            "'items[x]' is no path into the context: keys joined by dots, and places in brackets, such as "
                + "items[0].name or rates[\"EUR\"]"
        ),
        (["customer": [:], "customer.name": "x"], [], "'customer.name' lies inside 'customer', which is changed too"),
        (["n": 1], ["n"], "'n' lies inside 'n', which is changed too"),
        (
            [:], ["n"],
            "'n' cannot be unset: machine 'pot' declares it; it can be set to null where its type has null"
        ),
        ([:], ["customer.nam"], "'customer' has no key 'nam'; did you mean 'name'?"),
        ([:], ["items[0]"], "An element of 'items' cannot be unset: set the list instead"),
        ([:], [], "There is nothing to set"),
    ]

    @Test(arguments: refused.indices) func whatDoesNotFitIsRefused(number: Int) throws {
        let (values, unset, message) = Self.refused[number]
        let run = try TimedRun(Self.machine)
        #expect(run.refusal(of: run.setting(values, unset: unset)) == .invalidData(message))
    }

    @Test func aContextThatWouldBeTooLargeIsRefused() throws {
        let run = try TimedRun(Self.machine)
        let large = JSONValue.string(String(repeating: "x", count: StepLimits.valueBytes))
        let refusal = run.refusal(of: run.setting(["customer.name": large]))
        #expect(
            refusal
                == .invalidData("The context would be larger than 1048576 bytes or nested deeper than 120 levels"))
    }

    @Test func aSetThatCannotSettleIsUndone() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 1}
            states:
              a: {always: {target: b, guard: context.n == 0}}
              b: {entry: {assign: {n: 1 / context.n}}}
            """)
        guard case .expressionFailed(let failure)? = run.refusal(of: run.setting(["n": 0])) else {
            Issue.record("it settles")
            return
        }
        #expect(failure.message == "division by zero")
    }
}
