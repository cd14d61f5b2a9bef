import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests several rules of one invocation: each counts its own failures, by the attempts in the store.
@Suite(.timeLimit(.minutes(20))) struct RetryRuleTests {
    private static func bench(_ retry: String, executors: [any EffectExecutor] = []) async throws -> TaskBench {
        let definition = """
            id: ruled
            initial: a
            context: {why: null}
            states:
              a:
                invoke:
                  {task: r, retry: \(retry), onDone: b,
                   onError: {target: c, actions: {assign: {why: event.data}}}}
              b: {type: final}
              c: {type: final}
            """
        let bench = try await TaskBench(definition, executors: executors)
        try await bench.timed.start("ruled", "o")
        return bench
    }

    private static let two = """
        [{on: [busy, lease-expired], attempts: 3, first: 10s, jitter: 0},
         {on: broken, attempts: 2, first: 1s, jitter: 0}]
        """

    private static func expectEnd(_ bench: TaskBench, _ type: String, after attempts: Int64) async throws {
        #expect(try await bench.state("o") == "c")
        #expect(
            try await bench.timed.context("why", of: "o")
                == ["attempts": .int(attempts), "message": "m", "type": .string(type)])
        #expect(try await bench.effects().isEmpty)
        try await bench.expectWhole()
    }

    @Test func eachRuleCountsItsOwnFailures() async throws {
        let bench = try await Self.bench(Self.two)
        try await bench.fail(try await bench.task("r"), "busy")
        try await bench.timed.pass(10_000)
        try await bench.fail(try await bench.task("r"), "broken")
        try await bench.timed.restart(after: 1_000)
        // The second failure of its rule: the pause is twice as long.
        try await bench.fail(try await bench.task("r"), "busy")
        try await bench.timed.pass(19_999)
        #expect(try await bench.lease("r").isEmpty)
        try await bench.timed.pass(1)
        try await bench.fail(try await bench.task("r"), "broken")
        try await Self.expectEnd(bench, "broken", after: 4)
    }

    @Test func whatNoRuleFitsEndsAtOnce() async throws {
        let bench = try await Self.bench(Self.two)
        try await bench.fail(try await bench.task("r"), "declined")
        try await Self.expectEnd(bench, "declined", after: 1)
    }

    /// A late report does not change the count.
    @Test func aLeaseThatRanOutIsCountedThoughTheWorkerSpokeLate() async throws {
        let bench = try await Self.bench(Self.two)
        let first = try await bench.task("r")
        try await bench.timed.pass(30_000)
        try await eventually("the lease has run out") { try await bench.effects().first?.state == .ready }
        #expect(await bench.rejection(of: .completed(1), first) == "leaseLost")
        try await bench.timed.pass(10_000)
        try await bench.fail(try await bench.task("r"), "busy")
        try await bench.timed.pass(20_000)
        let record = try await bench.timed.record("o")
        let effect = try #require(try await bench.effects().first)
        let attempts = try await bench.timed.store.attempts(of: effect.id, instance: record.id)
        #expect(attempts.map(\.outcome).sorted() == ["busy", "late"])
        try await bench.fail(try await bench.task("r"), "busy")
        try await Self.expectEnd(bench, "busy", after: 3)
    }

    @Test func aPersonLetsAllBeCountedAnew() async throws {
        let bench = try await Self.bench(Self.two)
        try await bench.fail(try await bench.task("r"), "broken")
        _ = try await bench.engine.effect(
            EffectVerbCommand(
                instance: "o", effect: "a", expectedSeq: nil, verb: .retry(newKey: false), reason: nil, key: nil,
                by: .test))
        try await bench.fail(try await bench.task("r"), "broken")
        try await bench.timed.pass(1_000)
        try await bench.fail(try await bench.task("r"), "broken")
        try await Self.expectEnd(bench, "broken", after: 3)
    }

    /// The first and the last of many attempts are stored, and counted.
    @Test func manyAttemptsAreCountedAsFarAsTheyAreKept() async throws {
        #expect(RetryPolicy.countedAttempts == Int(AttemptRecord.firstKept + AttemptRecord.lastKept))
        let bench = try await Self.bench("[{on: busy, attempts: unlimited}, {on: broken, attempts: 3}]")
        for number in 1...130 {
            // The second of three is among those that are not kept.
            let type = [1, 20, 129, 130].contains(number) ? "broken" : "busy"
            try await bench.fail(try await bench.task("r"), type, after: 0)
        }
        try await Self.expectEnd(bench, "broken", after: 130)
    }

    /// The status stands beside the type of each attempt.
    @Test(arguments: [
        ("{on: http-status.404, attempts: 2, first: 1s, jitter: 0}", [404, 404]),
        ("{on: http-status, attempts: 2, first: 1s, jitter: 0}", [404]),
        (
            "[{on: http-status.503, attempts: 2, first: 1s, factor: 1, jitter: 0}, "
                + "{on: http-status.5xx, attempts: 3, first: 1s, factor: 1, jitter: 0}]", [503, 500, 502, 503]
        ),
    ])
    func statusesAreFailures(retry: String, statuses: [Int64]) async throws {
        let servant = Servant()
        let bench = try await Self.bench(retry, executors: [servant])
        for (number, status) in statuses.enumerated() {
            let failure = TaskFailure(
                type: "http-status", message: "m", facts: ["status": .int(status)], canRetry: status >= 500)
            try await servant.end("o", .failed(failure))
            let attempts = Int64(number + 1)
            try await eventually("attempt \(attempts) has failed") {
                try await bench.effects().first?.attempts ?? attempts == attempts
            }
            if attempts < statuses.count { #expect(try await bench.state("o") == "a") }
            try await bench.timed.pass(1_000)
        }
        try await eventually("the end") { try await bench.state("o") == "c" }
        #expect(servant.begun.count == statuses.count)
        try await bench.expectWhole()
    }
}
