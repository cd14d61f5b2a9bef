import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests instances that failed because an invocation did: the cause can be seen, selected and counted, and is stored
/// only in the event.
@Suite(.timeLimit(.minutes(20))) struct InvocationFailureTests {
    private static let pay = """
        id: pay
        initial: paying
        states:
          paying: {invoke: {task: card, onDone: paid}}
          paid: {type: final}
        """
    private static let marker = "s3cret-card"
    private static let refused = TaskFailure(
        type: "http-status", message: "the answer to \(marker) was no", facts: ["status": 402, "body": "long"],
        canRetry: false)
    private static let broken = TaskFailure(type: "connect", message: "nobody listens", canRetry: false)

    /// Returns two instances whose card was refused, and one whose service was away.
    private static func failed() async throws -> TaskBench {
        let bench = try await TaskBench(pay)
        for (name, failure) in [("a", refused), ("b", refused), ("c", broken)] {
            try await bench.timed.start("pay", name)
            try await bench.report(.failed(failure), try await bench.task("card"))
        }
        return bench
    }

    private static func names(
        _ bench: TaskBench, _ text: String, _ order: InstanceOrder? = nil
    ) async throws -> [String] {
        let query = InstanceQuery(failures: [text], order: order, limit: 10)
        return try await bench.engine.instances(query, by: .test).views.map(\.record.name.rawValue).sorted()
    }

    private static func run(_ bench: TaskBench, _ text: String) async throws -> BulkView {
        let selection = BulkSelection(machines: ["pay"], failures: [text])
        let request = BulkRequest(action: .repair(.retry), targets: .selection(selection))
        let begun = try await bench.engine.begin(run: "again", request, [], by: .test)
        let (engine, key) = (bench.engine, begun.record.key)
        try await eventually("the run has ended") {
            try await engine.run(named: key.name, by: .test).record.state == .done
        }
        return try await engine.run(named: key.name, by: .test)
    }

    @Test func theyAreGroupedByTheErrorOfTheLastAttempt() async throws {
        let bench = try await Self.failed()
        let groups = try await bench.engine.failures(of: ["pay"], by: .test).groups
        #expect(groups.map(\.count) == [2, 1] && groups.map(\.failure.kind) == [.invocationFailed, .invocationFailed])
        let first = try #require(groups.first?.failure)
        #expect(first.error?.type == "http-status" && first.error?.status == 402)
        #expect(
            first.reason
                == "http-status: the answer to \(Self.marker) was no; no transition takes 'error.invoke.paying'")
        #expect(groups.last?.failure.error?.status == nil)
        #expect(groups.last?.failure.reason == "connect: nobody listens; no transition takes 'error.invoke.paying'")
        let view = try await bench.engine.instance(named: "a")
        #expect(
            view.failure?.reason.detail(machine: "pay") == "'error.invoke.paying' was undone: 'invoke paying' of state "
                + "'paying', line 4, failed: " + first.reason)
        try await bench.expectWhole()
    }

    @Test(arguments: [
        ("402", ["a", "b"]), ("http-status: the", ["a", "b"]), ("nobody listens; no tran", ["c"]),
        ("invocation-failed", ["a", "b", "c"]), ("error.invoke.paying", ["a", "b", "c"]), ("expression-failed", []),
        ("long", []), ("403", []),
    ])
    func theyAreSelectedByIt(text: String, expected: [String]) async throws {
        let bench = try await Self.failed()
        #expect(try await Self.names(bench, text) == expected)
        for order in InstanceOrder.allCases {
            #expect(try await Self.names(bench, text, order) == expected, "\(order)")
        }
        // The same errors are applied again, and nothing takes them.
        let run = try await Self.run(bench, text)
        #expect(run.record.selected == Int64(expected.count))
        #expect(run.outcome.count(of: .failed) == Int64(expected.count) && run.outcome.count(of: .changed) == 0)
        // A run is told of for as long as it is kept, whatever is redacted.
        #expect(run.outcome.told.allSatisfy { !($0.message ?? "").contains(Self.marker) })
        try await bench.expectWhole()
    }

    @Test func theyAreCountedAsWhatTheyAre() async throws {
        let bench = try await Self.failed()
        let counts = try await bench.engine.report(by: .test).counts.failures
        #expect(counts.filter { $0.key.machine == "pay" }.map(\.key.kind.rawValue) == ["invocation-failed"])
        #expect(counts.values.reduce(0, +) == 3)
        try await bench.timed.stop()
    }

    /// The stored rows and instances have the same form as ever: a later release folds them, and so did the earlier
    /// one.
    @Test func rowsSayWhatTheyHaveAlwaysSaid() async throws {
        let bench = try await Self.failed()
        let row = try #require(try await bench.timed.rows("a").last)
        let failure =
            #""event":"error.invoke.paying","expression":"invoke paying","line":4,"message":"the invocation failed, "#
            + #"and no transition takes 'error.invoke.paying'""#
        #expect(row.note?.contains(failure) == true && row.note?.contains(#""type":"expression-failed""#) == true)
        #expect(row.note?.contains(Self.marker) == false && row.data?.contains(Self.marker) == true)
        let kept = try await bench.timed.record("a").failure
        #expect(kept?.contains(failure) == true && kept?.contains(Self.marker) == false)
        try await bench.timed.stop()
    }

    @Test func theLogHasTheTypeAndTheStatusAlone() async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.pay, logger: logged.logger)
        try await timed.start("pay", "a")
        let tasks = try await timed.engine.lease(
            LeaseTasksCommand(queue: "card", max: 1, milliseconds: 30_000, worker: "w", by: .test), wait: .zero)
        let task = try #require(tasks.first)
        _ = try await timed.engine.report(
            EndTaskCommand(task: task.token, report: .failed(Self.refused), by: .test))
        try await eventually("the failure is told") { !logged.all.isEmpty }
        #expect(
            logged.all == [
                "warning an instance has failed error=http-status event=error.invoke.paying expression=invoke paying "
                    + "instance=a line=4 machine=pay message=the invocation failed, and no transition takes "
                    + "'error.invoke.paying' seq=2 state=paying status=402 type=invocation-failed version=1"
            ])
        try await timed.stop()
    }

    @Test func aRedactionTakesTheCauseAlong() async throws {
        let bench = try await Self.failed()
        _ = try await bench.engine.redact(
            RedactCommand(instance: "a", seqs: SeqSet([2...2]), reason: "r", by: .test))
        #expect(try await Self.names(bench, "402") == ["b"])
        #expect(try await bench.engine.failures(of: ["pay"], by: .test).groups.map(\.count) == [1, 1])
        let view = try await bench.engine.instance(named: "a")
        #expect(view.record.status == .failed && view.failure == nil)
        try await bench.expectWhole()
    }

    /// If a transition takes the error and fails, the failure is that of an expression.
    @Test func anActionThatFailsIsAnother() async throws {
        let bench = try await TaskBench(
            Self.pay.replacing("onDone: paid", with: "onDone: paid, onError: {actions: {assign: {n: 1 / context.n}}}")
                .replacing("initial: paying", with: "initial: paying\ncontext: {n: 0}"))
        try await bench.timed.start("pay", "a")
        try await bench.report(.failed(Self.refused), try await bench.task("card"))
        let group = try #require(try await bench.engine.failures(of: ["pay"], by: .test).groups.first)
        #expect(group.failure.kind == .expressionFailed && group.failure.error == nil)
        #expect(group.failure.reason == "division by zero")
        #expect(try await Self.names(bench, "402") == [])
        #expect(try await Self.names(bench, "expression-failed") == ["a"])
        try await bench.expectWhole()
    }
}
