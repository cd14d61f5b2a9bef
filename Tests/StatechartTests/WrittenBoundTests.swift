import Statechart
import Testing
import WorkflowJSON

/// Tests the limits on everything that a macrostep writes, and on everything that an instance keeps armed.
@Suite struct WrittenBoundTests {
    /// The machine of the issue has 900 delayed events, each with half a mebibyte.
    @Test func manyLargeDelayedEventsAreRefused() throws {
        let run = try TimedRun(Self.sender("send: {event: e, delay: 1h, data: context.blob}"))
        #expect(
            try message(run, "go") == "the macrostep would write 4194328 bytes; all that one writes has at most 4194304"
        )
    }

    private static func sender(_ action: String) -> String {
        """
        id: m
        initial: a
        context: {blob: '\(String(repeating: "x", count: 512 << 10))', n: 0, list: null}
        states:
          a:
            on:
              go:
                actions:
                - assign: {list: lists.range(900)}
                - foreach: {array: context.list, item: n, actions: [{\(action)}]}
              # Nothing that a machine handles takes the refusal away.
              error.*: b
          b: {}
        """
    }

    /// Everything that is written counts, in one sum.
    @Test(arguments: [
        "raise: {event: e, data: context.blob}", "send: {event: e, data: context.blob}", "log: context.blob",
        "call: {task: q, input: context.blob}}, {raise: {event: e, data: context.blob}",
    ])
    func whateverIsWrittenCounts(action: String) throws {
        let run = try TimedRun(Self.sender(action))
        #expect(try message(run, "go").contains("; all that one writes has at most 4194304"))
    }

    @Test func theContextAndTheOutputCountWithTheRest() throws {
        let text = """
            id: m
            initial: a
            context: {blob: '\(String(repeating: "x", count: 512 << 10))', n: 0, list: null}
            states:
              a:
                on:
                  few: {actions: [{assign: {list: lists.range(6)}}, {foreach: &log}, {assign: {n: 1}}]}
                  many: {actions: [{assign: {list: lists.range(7)}}, {foreach: &log}]}
                  end: {target: f, actions: [{assign: {list: lists.range(6)}}, {foreach: &log}]}
              f: {type: final, output: context.blob}
            """.replacing("&log", with: "{array: context.list, item: n, actions: [{log: context.blob}]}")
        let run = try TimedRun(text)
        #expect(run.refusal(of: "few") == nil)
        // Seven texts and the context that was changed are eight halves of a mebibyte, and a little.
        #expect(try message(run, "many").hasPrefix("the macrostep would write 4194"))
        #expect(try message(run, "end").hasPrefix("the macrostep would write 4194"))
    }

    private func message(_ run: TimedRun, _ event: String, _ data: JSONValue? = nil) throws -> String {
        guard case .expressionFailed(let failure)? = run.refusal(of: event, data) else {
            throw Refusal.invalidData("'\(event)' is not refused: \(run.refusal(of: event, data) as Any)")
        }
        return failure.message
    }

    private static let keeper = """
        id: m
        initial: a
        context: {left: 0}
        states:
          a:
            on:
              arm: {actions: {send: {event: later, id: x, delay: 1h, data: event.data}}}
              swap: {actions: [{cancel: x}, {send: {event: later, id: x, delay: 1h, data: event.data}}]}
              drop: {actions: {cancel: x}}
              later: {actions: {send: {event: later, id: x, delay: 1h, data: event.data}}}
              ping: {actions: {assign: {left: context.left + 1}}}
        """
    private static let half = JSONValue.string(String(repeating: "x", count: 512 << 10))

    @Test func whatIsKeptArmedHasABound() throws {
        var run = try TimedRun(Self.keeper)
        for _ in 0..<15 { try run.send("arm", Self.half) }
        #expect(
            try message(run, "arm", Self.half) == "the instance would have 8390800 bytes armed; it has at most 8388608")
        // A step that ends as much as it arms is allowed, and so is a timer that arms itself anew.
        try run.send("swap", Self.half)
        #expect(run.snapshot.armed.count == 1)
        for _ in 0..<14 { try run.send("arm", Self.half) }
        #expect(try run.pass(3_600_000).count == 15)
        #expect(run.snapshot.armed.count == 15 && run.failure == nil)
        try run.send("drop")
        try run.send("arm", Self.half)
    }

    /// An instance from before the limit continues; only additions are refused.
    @Test func whoIsOverTheBoundGoesOn() throws {
        var run = try TimedRun(Self.keeper)
        for _ in 0..<40 { try run.send("arm", Self.half, within: .recorded) }
        try run.send("ping")
        #expect(try message(run, "arm", 1).hasPrefix("the instance would have 2"))
        #expect(try run.pass(3_600_000).count == 40)
        #expect(run.snapshot.armed.count == 40 && run.failure == nil)
        try run.send("drop")
        try run.send("arm", Self.half)
    }

    /// All pending items are visited for each state that is exited, and many states can be exited all the same.
    @Test func whoHasMuchArmedCanLeaveManyStates() throws {
        let regions = (0..<70).map { "      r\($0): {after: {1h: '#b'}}\n" }.joined()
        var run = try TimedRun(
            """
            id: m
            initial: p
            context: {n: 0}
            states:
              b: {}
              p:
                type: parallel
                on:
                  go: b
                  arm: {actions: {foreach: {array: lists.range(993), item: n, actions: [{send: {event: e, delay: 1h}}]}}}
                states:

            """ + regions)
        for _ in 0..<10 { try run.send("arm") }
        #expect(run.snapshot.armed.count == StepLimits.timers)
        try run.send("go")
        #expect(run.state == "b" && run.snapshot.armed.count == StepLimits.timers - 70)
    }

    /// A recorded macrostep was within the limits of its time, so it leads where it led.
    @Test func whatIsRecordedLeadsWhereItLed() throws {
        let run = try TimedRun(Self.sender("send: {event: e, delay: 1h, data: context.blob}"))
        let go = Input.event(Event(name: "go"))
        guard case .accepted(let macrostep) = run.machine.apply(go, to: run.snapshot, as: .test, within: .recorded)
        else { throw Refusal.notAccepted }
        #expect(macrostep.snapshot.armed.count == 900)
    }

    /// No file can have so much data.
    @Test func whatIsRecordedHasABoundToo() throws {
        let log = "log: context.blob"
        let run = try TimedRun(Self.sender("\(log)}, {\(log)}, {\(log)"))
        #expect(
            try recordedMessage(run, "go")
                == "the macrostep would write 1073747968 bytes; all that one writes has at most 1073741824")
    }

    /// Earlier limits leave the budget of evaluation as it is.
    @Test func whatIsRecordedEvaluatesNoMore() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {actions: {assign: {n: "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}}}
            """)
        #expect(try recordedMessage(run, "go") == "the expression takes more than 1000000 steps")
    }

    /// Returns the reason why a recorded event is refused.
    private func recordedMessage(_ run: TimedRun, _ event: String) throws -> String {
        let outcome = run.machine.apply(.event(Event(name: event)), to: run.snapshot, as: .test, within: .recorded)
        guard case .refused(.expressionFailed(let failure)) = outcome else { throw Refusal.notAccepted }
        return failure.message
    }
}
