import Statechart
import Testing
import WorkflowJSON

/// Tests invocations: when they begin, what ends them, and the effects of their results.
@Suite struct InvocationTests {
    private static let order = """
        id: order
        initial: paying
        context: {amount: 5, receipt: null, why: null}
        states:
          paying:
            invoke:
              task: {queue: charge, priority: "context.amount > 3 ? 1 : 5"}
              input: {amount: context.amount, by: event.name}
              retry: {attempts: 3, except: [declined]}
              timeout: 10m
              onDone: {target: packing, actions: {assign: {receipt: event.data.id}}}
              onError: {target: rejected, actions: {assign: {why: event.data.type}}}
            on: {stop: rejected, done.invoke.paying: rejected}
          packing:
            invoke: [{id: pack, task: stock}, {id: label, task: print, onDone: shipped}]
            on: {again: {target: packing, reenter: true}}
          shipped: {type: final}
          rejected: {}
        """

    private static func armed(_ run: TimedRun) -> [String] {
        run.snapshot.armed.map { "\($0.kind) \($0.event) \($0.id.seq).\($0.id.number)" }
    }

    private static func requests(_ run: TimedRun) -> [String] {
        run.last.flatMap(\.macrostep.requests).map { request in
            switch request {
            case .arm(let pending): "arm \(pending.event)"
            case .invoke(_, let request): "\(request.name) \(request.queue) \(request.priority) \(request.text)"
            case .call(let request): "\(request.name) \(request.queue) \(request.priority) \(request.text)"
            case .cancel(let id): "cancel \(id.seq).\(id.number)"
            }
        }
    }

    @Test func anInvocationBeginsWithItsState() throws {
        let run = try TimedRun(Self.order)
        #expect(
            Self.requests(run) == [
                #"paying task:charge 1 {"deadline":600000,"input":{"amount":5,"by":"init"},"#
                    + #""retry":{"attempts":3,"except":["declined"]}}"#,
                "arm error.invoke.paying",
            ])
        #expect(Self.armed(run) == ["invocation done.invoke.paying 1.1", "timer error.invoke.paying 1.2"])
        #expect(run.deeds == [#"invoke paying: task charge {"amount":5,"by":"init"}"#])
    }

    @Test func itsResultComesBeforeOnAndEndsItsTimeout() throws {
        var run = try TimedRun(Self.order)
        run.now = LogicalTime(milliseconds: 7)
        try run.end("paying", ["id": "r-1"])
        #expect(run.state == "packing" && run.context == #"{"amount":5,"receipt":"r-1","why":null}"#)
        #expect(Self.requests(run) == ["cancel 1.2", "pack task:stock 3 {}", "label task:print 3 {}"])
        #expect(Self.armed(run) == ["invocation done.invoke.pack 2.1", "invocation done.invoke.label 2.2"])
    }

    @Test func itsTimeoutEndsIt() throws {
        var run = try TimedRun(Self.order)
        #expect(try run.pass(600_000) == ["error.invoke.paying"])
        #expect(run.state == "rejected" && run.context.contains(#""why":"timeout""#))
        #expect(Self.requests(run) == ["cancel 1.1"] && run.snapshot.armed.isEmpty)
    }

    /// Messages have the time as in the definition; digests cover the form in the snapshot.
    @Test func aTimeoutThatNobodyTakesSaysHowLongItWas() throws {
        var run = try TimedRun("{id: m, initial: a, states: {a: {invoke: {task: t, timeout: 172800000}}}}")
        let armed = try #require(run.snapshot.armed.first { $0.kind == .timer })
        #expect(armed.data == ["type": "timeout", "message": "there was no result within 172800000 ms"])
        _ = try run.pass(172_800_000)
        guard case .expressionFailed(let failure)? = run.failure else {
            Issue.record("it must say why")
            return
        }
        #expect(
            failure.message == "timeout: there was no result within 2d; no transition takes 'error.invoke.a'")
    }

    @Test(arguments: [
        ("there was no result within 172800000 ms", "there was no result within 2d"),
        ("there was no result within 0 ms", "there was no result within 0s"),
        ("there was no result within 1500 ms", "there was no result within 1s500ms"),
        ("there was no result within a day", "there was no result within a day"),
        ("there was no result within  ms", "there was no result within  ms"),
        ("the worker waited 172800000 ms", "the worker waited 172800000 ms"),
    ])
    func messagesOfTimeoutsAloneAreWrittenAnew(message: String, shown: String) {
        #expect(InvocationTimeout.shown(message) == shown)
    }

    @Test func leavingEndsBoth() throws {
        var run = try TimedRun(Self.order)
        try run.send("stop")
        #expect(Self.requests(run) == ["cancel 1.1", "cancel 1.2"] && run.snapshot.armed.isEmpty)
    }

    @Test func enteringAgainBeginsAnew() throws {
        var run = try TimedRun(Self.order)
        try run.end("paying", ["id": 1])
        try run.send("again")
        #expect(
            Self.requests(run) == ["cancel 2.1", "cancel 2.2", "pack task:stock 3 {}", "label task:print 3 {}"])
        #expect(Self.armed(run) == ["invocation done.invoke.pack 3.1", "invocation done.invoke.label 3.2"])
    }

    @Test func theEndOfTheMachineEndsTheRest() throws {
        var run = try TimedRun(Self.order)
        try run.end("paying", ["id": 1])
        try run.end("label")
        #expect(run.snapshot.status == .done && Self.requests(run) == ["cancel 2.1"] && run.snapshot.armed.isEmpty)
    }

    /// A state that is exited within the same macrostep never begins its invocations.
    @Test func whatIsLeftAtOnceNeverBegins() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a: {invoke: {task: x}, always: b}
              b: {entry: {raise: go}, on: {go: c}, invoke: {task: y}}
              c: {invoke: {task: z, input: event.name}}
            """)
        #expect(Self.requests(run) == [#"c task:z 3 {"input":"init"}"#] && run.snapshot.armed.count == 1)
    }

    /// Appendix D sorts the states by `entryOrder`, over all microsteps.
    @Test func theyBeginInDocumentOrder() throws {
        let run = try TimedRun(
            """
            id: m
            type: parallel
            states:
              p: {initial: a, states: {a: {always: b}, b: {invoke: {task: x}}}}
              q: {invoke: {task: y}}
            """)
        #expect(Self.requests(run) == ["p.b task:x 3 {}", "q task:y 3 {}"])
    }

    /// The machine is stable when invocations begin. An event that one raises is taken before the next macrostep, and
    /// ends others.
    @Test func aFailingTemplateRaisesAnError() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0, said: ""}
            states:
              a:
                invoke: [{id: one, task: x}, {id: two, task: x, input: 1 / context.n}, {id: three, task: x}]
                on: {error.execution: {target: b, actions: {assign: {said: event.data.expression}}}}
              b: {invoke: {task: y}}
            """)
        #expect(run.state == "b" && run.context.contains("invoke two input: 1 / context.n"))
        #expect(Self.requests(run) == ["b task:y 3 {}"] && Self.armed(run) == ["invocation done.invoke.b 1.3"])
    }

    @Test(arguments: [
        ("0", "a priority is a number from 1 to 5, 1 first"), ("6", "a priority is a number from 1 to 5, 1 first"),
    ])
    func aPriorityHasItsRange(value: String, message: String) throws {
        let machine = try DefinitionReader.read(
            """
            {id: m, initial: a, context: {n: \(value)},
            states: {a: {invoke: {task: {queue: q, priority: context.n}}}}}
            """
        ).machine
        guard case .refused(.expressionFailed(let failure)) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("it must be refused")
            return
        }
        #expect(failure.message == message && failure.expression == "invoke a priority: context.n")
    }

    // MARK: Failures

    private static func failing(_ handler: String, isStrict: Bool = true) -> String {
        "{id: m, strict: \(isStrict), initial: a, states: {a: {invoke: {task: x}, on: {\(handler)}}, b: {}}}"
    }

    private static let declined: JSONValue = ["type": "declined", "message": "no money"]

    @Test(arguments: [
        ("error.invoke.a: b", true, "b"), ("error.invoke.*: b", true, "b"), ("error.*: b", true, "b"),
        ("'*': b", true, nil), ("'*': b", false, "b"), ("x: b", true, nil), ("x: b", false, nil),
    ])
    func aFailureIsTakenLikeAnyError(handler: String, isStrict: Bool, state: String?) throws {
        var run = try TimedRun(Self.failing(handler, isStrict: isStrict))
        try run.fail("a", Self.declined)
        #expect(run.snapshot.status == (state == nil ? .failed : .running))
        #expect(run.state == state ?? "a")
    }

    @Test func anInstanceFailsOnWhatNobodyTakes() throws {
        var run = try TimedRun(Self.failing("x: b"))
        run.now = LogicalTime(milliseconds: 9)
        try run.fail("a", Self.declined)
        guard case .expressionFailed(let failure)? = run.failure else {
            Issue.record("it must say why")
            return
        }
        #expect(failure.message == "declined: no money; no transition takes 'error.invoke.a'")
        #expect(failure.discreet == "the invocation failed, and no transition takes 'error.invoke.a'")
        let kept = try #require(run.snapshot.armed.kept)
        #expect(kept.event == "error.invoke.a" && kept.data == Self.declined && kept.due.milliseconds == 9)
        let text = run.machine.text(of: run.snapshot)
        #expect(
            text.armed == #"[{"data":{"message":"no money","type":"declined"},"due":9,"event":"error.invoke.a","#
                + #""invoke":"a","kept":true,"kind":"invocation","number":1,"seq":1,"state":"a"}]"#)
        #expect(try run.machine.snapshot(of: text, status: .failed, seq: 2) == run.snapshot)
    }

    @Test func aResultThatNobodyTakesIsRecorded() throws {
        var run = try TimedRun(Self.failing("x: b"))
        try run.end("a", 1)
        #expect(run.state == "a" && run.snapshot.seq == 2 && run.snapshot.armed.isEmpty)
    }

    @Test func whatIsLiveIsStored() throws {
        let run = try TimedRun(Self.order)
        let text = run.machine.text(of: run.snapshot)
        #expect(
            text.armed.hasPrefix(
                #"[{"invoke":"paying","kind":"invocation","number":1,"seq":1,"state":"paying"},{"data":"#))
        #expect(try run.machine.snapshot(of: text, status: .running, seq: 1) == run.snapshot)
    }
}

/// Tests the messages about mistakes in `invoke`.
@Suite struct InvocationMessageTests {
    @Test(arguments: [
        ("invoke: {}", "3:9: error: an invocation needs one of http, task and exec"),
        ("invoke: x", "3:9: error: an invocation must be a map, not a string"),
        (
            "invoke: {src: pay}",
            "3:10: error: 'src' names code in XState; here it is http, task or exec: 'task: charge' hands it to a worker"
        ),
        (
            "invoke: {task: x, onSnapshot: b}",
            "3:19: error: 'onSnapshot' does not exist: a worker's 'progress' is shown by 'wfctl effects'"
        ),
        (
            "invoke: {task: x, finalize: []}",
            "3:19: error: 'finalize' does not exist: assign in the actions of 'onDone'"
        ),
        ("invoke: {task: x, autoforward: true}", "3:19: error: 'autoforward' does not exist: a task takes no events"),
        ("invoke: {task: x, systemId: y}", "3:19: error: 'systemId' does not exist: 'id' names an invocation"),
        ("invoke: [{task: x}, {task: y}]", "3:21: error: state 's' has two invocations without 'id'"),
        (
            "invoke: [{id: p, task: x}, {id: p, task: y}]",
            "3:33: error: id 'p' is used by the invocation on line 3"
        ),
        ("invoke: {task: {}}", "3:16: error: 'task' needs a 'queue'"),
        (
            "invoke: {task: 'a b'}",
            "3:16: error: 'a b' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'"
        ),
        (
            "invoke: {task: {queue: q, priority: 7}}",
            "3:37: error: a priority is a number from 1 to 5, 1 first"
        ),
        (
            "invoke: {task: {queue: q, priority: \"'high'\"}}",
            "3:38: error: a priority is a number from 1 to 5, 1 first"
        ),
        ("invoke: {task: x, retry: {attempts: 0}}", "3:37: error: a retry has 1 to 1000 attempts, or unlimited"),
        ("invoke: {task: x, retry: {attempts: often}}", "3:37: error: a retry has 1 to 1000 attempts, or unlimited"),
        ("invoke: {task: x, retry: {factor: 0}}", "3:35: error: 'factor' is a number from 1 to 100"),
        ("invoke: {task: x, retry: {jitter: 2}}", "3:35: error: 'jitter' is a number from 0 to 1"),
        (
            "invoke: {task: x, retry: {first: soon}}",
            "3:34: error: 'first' is a delay: 'soon' is no delay; one is written such as 250ms, 30s, 5m, 1h30m, 7d, 1w, "
                + "P3D or PT1H30M, or a number of milliseconds"
        ),
        (
            "invoke: {task: x, input: {n: 1 +}}",
            "3:33: error: expected a value, found the end of the expression"
        ),
    ])
    func mistakesInAnInvocation(keys: String, message: String) {
        #expect(diagnostics(of: oneState(keys)).first == message)
    }

    /// An id is unique in the machine, not only in its state.
    @Test func anIdIsUsedOnce() {
        let text = """
            id: m
            initial: a
            states:
              a: {invoke: {id: p, task: x}}
              b: {invoke: {id: p, task: y}}
            """
        #expect(diagnostics(of: text).contains("5:20: error: id 'p' is used by the invocation on line 4"))
    }
}
