import IdentityTesting
import Statechart
import Synchronization
import Testing
import ThreadTesting
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // The queue is no part of what the daemon uses.

/// Tests results that come too late, and results that come while nothing else is accepted.
@Suite(.timeLimit(.minutes(20))) struct LateResultTests {
    private static func attempts(_ bench: TaskBench, _ name: String = "o") async throws -> [AttemptRecord] {
        let record = try await bench.timed.record(name)
        return try await bench.timed.firstAttempts(of: record)
    }

    @Test func aResultThatComesLateIsKept() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 5)
        try await bench.timed.pass(5_000)
        try await eventually("the lease has run out") { try await Self.attempts(bench).count == 1 }
        #expect(await bench.rejection(of: .completed(["receipt": 1]), task) == "leaseLost")
        let late = try #require(try await Self.attempts(bench).first)
        #expect(late.outcome == "late" && late.attempt == 1 && late.ended == bench.timed.clock.now())
        #expect(late.error?.contains(#""result":{"receipt":1}"#) == true)
        #expect(try await bench.state("o") == "paying")
        try await bench.expectWhole()
    }

    /// The lease has run out, and another worker was faster: the first result counts, whatever is reported later.
    @Test func aResultBehindThatOfAnotherWorkerIsKept() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let first = try await bench.task("charge", seconds: 5)
        try await bench.timed.pass(5_000)
        try await eventually("the lease has run out") { try await Self.attempts(bench).count == 1 }
        try await bench.timed.pass(10_000)
        let second = try await bench.task("charge")
        try await bench.report(.completed("second"), second)
        for _ in 1...2 {
            #expect(await bench.rejection(of: .completed("first"), first) == "leaseLost")
            try await bench.report(.completed("second"), second)
        }
        let late = try await Self.attempts(bench)
        #expect(late.map(\.outcome) == ["late"] && late.first?.error?.contains(#""result":"first""#) == true)
        #expect(try await bench.timed.context("receipt", of: "o") == "second")
        #expect(try await bench.timed.record("o").seq.rawValue == 2)
        try await bench.expectWhole()
    }

    @Test func aResultOfWhatWasLeftIsKept() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        try await bench.timed.send("stop", to: "o")
        #expect(await bench.rejection(of: .failed(TaskFailure(type: "t", message: "m")), task) == "leaseLost")
        let late = try await Self.attempts(bench)
        #expect(late.map(\.outcome) == ["late"] && late[0].begun == task.token.begun)
        // Signs of life are no results.
        #expect(await bench.rejection(of: .alive(progress: 1), task) == "leaseLost")
        #expect(try await Self.attempts(bench) == late)
        try await bench.expectWhole()
    }

    /// The worker got no answer to its first report.
    @Test func whatWasToldInTimeStays() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        for _ in 1...2 { _ = await bench.rejection(of: .failed(TaskFailure(type: "broken", message: "m")), task) }
        #expect(try await Self.attempts(bench).map(\.outcome) == ["broken"])
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        #expect(try await Self.attempts(bench).map(\.outcome) == ["broken"])
    }

    private static let token = TaskToken(text: String(repeating: "0", count: 112))

    private static func result() throws -> EndTaskCommand {
        EndTaskCommand(task: try #require(token), report: .completed(1), by: .test)
    }

    private static func count(_ turn: CommandQueue.Turn) -> Int? {
        if case .commands(let commands) = turn { commands.count } else { nil }
    }

    @Test func neitherAFullQueueNorDrainingRefusesAResult() throws {
        var limits = EngineLimits()
        limits.queuedCommands = 1
        limits.queuedResults = 2
        let queue = CommandQueue(limits: limits)
        let told = Mutex<[String]>([])
        func ask<Command: WriterCommand>(_ command: Command) {
            queue.begin(command) { answer in
                if case .failure(let rejection) = answer { told.withLock { $0.append(rejection.kind) } }
            }
        }
        let retry = RepairCommand(instance: "i", .retry)
        ask(retry)
        ask(retry)
        #expect(told.withLock { $0 } == ["overloaded"])
        ask(try Self.result())
        #expect(queue.takeWaiting().count == 2)
        queue.close(.draining)
        ask(retry)
        for _ in 1...3 { ask(try Self.result()) }
        // Their own bound holds.
        #expect(told.withLock { $0 } == ["overloaded", "draining", "overloaded"])
        #expect(Self.count(queue.take(until: nil)) == 2)
        guard case .end = queue.take(until: nil) else {
            Issue.record("a drained queue ends")
            return
        }
        ask(try Self.result())
        #expect(told.withLock { $0 }.last == "draining")
    }

    /// Running effects have some time to end when the daemon stops.
    @Test func theQueueWaitsForResultsThatAreExpected() throws {
        let queue = CommandQueue(limits: EngineLimits())
        #expect(queue.expectResult())
        queue.close(.draining)
        queue.begin(try Self.result()) { _ in }
        queue.resultCame()
        #expect(Self.count(queue.take(until: nil)) == 1)
        guard case .end = queue.take(until: nil) else {
            Issue.record("nothing is expected any more")
            return
        }
        #expect(!queue.expectResult())
    }

    @Test func reportsThatComeTogetherAreAnsweredInOrder() async throws {
        let bench = try await TaskBench()
        for name in ["a", "b", "c"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge")
        try #require(tasks.count == 3)
        let answers = await bench.engine.report([
            EndTaskCommand(task: tasks[0].token, report: .completed(1), by: .test),
            EndTaskCommand(task: tasks[0].token, report: .alive(progress: nil), by: .test),
            EndTaskCommand(task: tasks[1].token, report: .alive(progress: nil), by: .test),
        ])
        let kinds = answers.map { answer in
            switch answer {
            case .success(let until): until == nil ? "ended" : "runs"
            case .failure(let rejection): rejection.kind
            }
        }
        #expect(kinds == ["ended", "leaseLost", "runs"])
        #expect(await bench.engine.report([EndTaskCommand]()).isEmpty)
    }
}
