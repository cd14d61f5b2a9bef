import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a clock that is set back by an hour. Leases run out all the same, ready effects stay ready, and items that are
/// due later come once, when the clock gets there.
@Suite(.timeLimit(.minutes(20))) struct ClockSetBackTests {
    private static let hour: Int64 = 3_600_000

    private static func attempts(_ bench: TaskBench) async throws -> [AttemptRecord] {
        let record = try await bench.timed.record("o")
        return try await bench.timed.firstAttempts(of: record)
    }

    /// Moves the clock, and lets the writer see it: the writer knows only the times that it has seen.
    private static func pass(_ milliseconds: Int64, _ bench: TaskBench) async throws {
        try await bench.timed.pass(milliseconds)
        #expect(try await bench.lease("nothing").isEmpty)
    }

    /// The worker has died, which is noticed in time. The next attempt is due as any other.
    @Test func aLeaseRunsNoLonger() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let first = try await bench.task("charge", seconds: 30)
        try await Self.pass(10_000, bench)
        try await Self.pass(-Self.hour, bench)
        try await Self.pass(19_999, bench)
        #expect(try await bench.effects().first?.state == .leased)
        try await Self.pass(1, bench)
        try await eventually("the lease has run out") { try await Self.attempts(bench).count == 1 }
        let lost = try #require(try await Self.attempts(bench).first)
        #expect(lost.outcome == "lease-expired" && lost.ended >= lost.begun)
        #expect(await bench.rejection(of: .completed(1), first) == "leaseLost")
        try await Self.pass(Self.hour - 20_000, bench)
        let second = try await bench.task("charge")
        #expect(second.attempt == 2 && second.key == first.key)
        try await bench.report(.completed(2), second)
        #expect(try await bench.state("o") == "packing")
        try await bench.expectWhole()
    }

    /// A worker that is alive keeps its task, before and after.
    @Test func aLeaseThatIsProlongedHolds() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 30)
        try await Self.pass(-Self.hour, bench)
        for _ in 0..<4 {
            try await Self.pass(20_000, bench)
            let until = try await bench.report(.alive(progress: nil), task)
            #expect(until?.rawValue == bench.timed.clock.now().rawValue + 30_000)
        }
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.report(.completed(1), task)
        #expect(try await Self.attempts(bench).isEmpty)
        try await bench.expectWhole()
    }

    /// The effect was ready before, and stays ready.
    @Test func whatIsReadyIsHandedOut() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        try await bench.timed.pass(-Self.hour)
        let task = try await bench.task("charge")
        try await bench.report(.returned, task)
        try await bench.timed.restart()
        #expect(try await bench.task("charge").attempt == 1)
        try await bench.expectWhole()
    }

    /// A retry is due at a time, like a timer. An effect that fails while the clock is behind waits, too: its pause
    /// counts from the last time that was seen, like the delays of its instance.
    @Test func retriesComeOnceWhenTheClockIsThere() async throws {
        let bench = try await TaskBench()
        for name in ["o", "p"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge", seconds: 3_600)
        try #require(tasks.count == 2)
        try await bench.fail(tasks[0])
        try await bench.timed.pass(-300_000)
        try await bench.fail(tasks[1])
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.pass(309_999)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.pass(1)
        #expect(try await bench.lease("charge").map(\.attempt) == [2, 2])
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.expectWhole()
    }

    /// The ten minutes of the definition end once.
    @Test func aTimeoutComesOnce() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 3_600)
        try await bench.timed.pass(300_000)
        try await bench.timed.pass(-Self.hour)
        try await bench.timed.pass(Self.hour)
        #expect(try await bench.state("o") == "paying")
        try await bench.timed.pass(300_000)
        #expect(try await bench.state("o") == "rejected")
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        try await bench.timed.pass(-Self.hour)
        try await bench.timed.pass(2 * Self.hour)
        #expect(try await bench.timed.record("o").seq.rawValue == 2)
        try await bench.expectWhole()
    }

    /// An effect that begins while the clock is behind begins at once, and is tried again after its pause.
    @Test func whatTheDaemonDoesItselfIsDoneInTimeAndOnce() async throws {
        let servant = Servant()
        let bench = try await TaskBench(executors: [servant])
        try await bench.timed.start("order", "o")
        try await eventually("it runs") { servant.open == 1 }
        try await bench.timed.pass(-Self.hour)
        try await servant.end("o", .failed(TaskFailure(type: "broken", message: "m")))
        try await eventually("it has failed") { try await bench.effects().first?.attempts == 1 }
        let attempt = try #require(try await Self.attempts(bench).first)
        #expect(attempt.ended >= attempt.begun)
        try await bench.timed.pass(Self.hour + 9_999)
        #expect(servant.begun.count == 1)
        try await bench.timed.pass(-Self.hour)
        try await bench.timed.pass(Self.hour)
        #expect(servant.begun.count == 1)
        try await bench.timed.pass(1)
        try await eventually("the second attempt") { servant.begun.count == 2 }
        try await bench.timed.pass(-Self.hour)
        try await servant.end("o", .done(1))
        // The tasks of the next state, with the clock behind.
        try await eventually("the rest") { servant.begun.count == 4 }
        #expect(servant.begun.prefix(2).map(\.number) == [1, 2])
        for _ in 0..<2 { try await servant.end("o", .done(.null)) }
        try await eventually("the end") { try await bench.state("o") == "shipped" }
        try await bench.timed.pass(2 * Self.hour)
        #expect(servant.begun.count == 4)
        try await bench.expectWhole()
    }
}
