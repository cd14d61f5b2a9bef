import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests tasks, from the state that requests one to the event with its result.
@Suite(.timeLimit(.minutes(20))) struct TaskTests {
    @Test func aTaskIsHandedOutAndItsResultIsAnEvent() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        #expect(task.instance == "o" && task.id == "paying" && task.attempt == 1)
        #expect(task.input == ["amount": 5] && task.progress == nil)
        let now = bench.timed.clock.now().rawValue
        #expect(task.leasedUntil.rawValue == now + 30_000 && task.deadline?.rawValue == now + 600_000)
        // No other worker gets the task.
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.report(.completed("r-1"), task)
        #expect(try await bench.state("o") == "packing")
        #expect(try await bench.timed.context("receipt", of: "o") == "r-1")
        let row = try #require(try await bench.timed.rows("o").last)
        #expect(row.kind == .result && row.event == "done.invoke.paying" && row.data == #""r-1""#)
        #expect(row.note == #"{"invoke":{"number":1,"seq":1}}"# && row.key?.count == 16 && row.actor == nil)
        #expect(try await bench.effects().map(\.name) == ["pack", "label"])
        try await bench.expectWhole()
    }

    /// The positions come after the row that began the effects.
    @Test func effectsHavePositions() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        try await bench.timed.start("order", "p")
        let (first, second) = (try await bench.timed.rows("o")[0], try await bench.timed.rows("p")[0])
        #expect(try await bench.effects().map(\.id) == [first.position.next, second.position.next])
        #expect(second.position == first.position.next.next)
        let armed = #""position":\#(first.position.next.rawValue),"seq":1,"state":"paying""#
        #expect(try await bench.timed.record("o").state.armed.contains(armed))
    }

    @Test func theEndOfOneStateEndsItsTasks() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        try await bench.timed.send("stop", to: "o")
        #expect(try await bench.effects().isEmpty)
        for report in [EndTaskCommand.Report.completed(1), .alive(progress: nil), .returned] {
            #expect(await bench.rejection(of: report, task) == "leaseLost")
        }
        // Entered again it is another task, with another key.
        try await bench.timed.send("again", to: "o")
        #expect(try await bench.task("charge").key != task.key)
        try await bench.expectWhole()
    }

    /// The worker got no answer, and repeats its report.
    @Test func completingTwiceIsCompletingOnce() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        try await bench.report(.completed(1), task)
        try await bench.timed.restart()
        try await bench.report(.completed(1), task)
        #expect(try await bench.timed.record("o").seq.rawValue == 2)
        #expect(await bench.rejection(of: .failed(TaskFailure(type: "t", message: "")), task) == "leaseLost")
    }

    @Test func whatIsNoTaskIsLost() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        let text = task.token.text
        #expect(TaskToken(text: text) == task.token)
        #expect(TaskToken(text: text + "0") == nil && TaskToken(text: "") == nil && TaskToken(text: text + "zz") == nil)
        let last = text.last == "0" ? "1" : "0"
        let forged = try #require(TaskToken(text: text.dropLast() + last))
        let command = EndTaskCommand(task: forged, report: .completed(1), by: .test)
        #expect(
            await bench.timed.rejection { () throws(Rejection) in try await bench.engine.report(command) }
                == "leaseLost")
        #expect(try await bench.state("o") == "paying")
    }

    @Test func prioritiesComeFirstThenAge() async throws {
        let bench = try await TaskBench(
            """
            id: job
            initial: a
            context: {p: 3}
            states: {a: {invoke: {task: {queue: q, priority: context.p}}}}
            """)
        for (name, priority) in [("x", 3), ("y", 1), ("z", 5), ("u", 1)] as [(String, Int64)] {
            _ = try await bench.engine.start(
                StartCommand(machine: "job", instance: name, data: ["p": .int(priority)]))
        }
        #expect(try await bench.lease("q", max: 3).map(\.instance.rawValue) == ["y", "u", "x"])
        #expect(try await bench.lease("q").map(\.instance.rawValue) == ["z"])
    }

    @Test func aQueueHasABoundOfLeases() async throws {
        var limits = EngineLimits()
        limits.leases = 2
        let bench = try await TaskBench(limits: limits)
        for name in ["a", "b", "c"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge")
        try #require(tasks.count == 2)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.report(.completed(1), tasks[0])
        #expect(try await bench.lease("charge").count == 1)
    }

    /// A dry run reads nothing from the store, and changes nothing.
    @Test func aDryRunBeginsNothing() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        try await bench.timed.send("stop", to: "o", isDryRun: true)
        try await bench.report(.completed(1), task)
        #expect(try await bench.state("o") == "packing")
        try await bench.expectWhole()
    }

    /// A worker waits until there is a task.
    @Test func whoWaitsIsWoken() async throws {
        let bench = try await TaskBench()
        let waiting = (1...3).map { _ in bench.waiting() }
        for name in ["a", "b", "c"] { try await bench.timed.start("order", name) }
        var names: Set<String> = []
        for task in waiting { names.formUnion(try await task.value.map(\.instance.rawValue)) }
        #expect(names == ["a", "b", "c"])
    }

    @Test func whoWaitsForNothingIsToldSo() async throws {
        let bench = try await TaskBench()
        #expect(try await bench.lease("charge", wait: .milliseconds(20)).isEmpty)
        let waiting = bench.waiting()
        waiting.cancel()
        #expect(try await waiting.value.isEmpty)
    }

    /// The slices of the history have snapshots of instances with running effects.
    @Test func whatRunsIsInSnapshots() async throws {
        let bench = try await TaskBench(
            """
            id: busy
            initial: a
            states: {a: {invoke: {task: q}, on: {tick: {}, done.invoke.a: b}}, b: {type: final}}
            """)
        try await bench.timed.start("busy", "b")
        for _ in 0..<260 { try await bench.timed.send("tick", to: "b") }
        try await bench.expectWhole()
        try await bench.timed.restart()
        try await bench.report(.completed(nil ?? .null), try await bench.task("q"))
        #expect(try await bench.timed.record("b").status == .done)
        try await bench.expectWhole()
    }
}
