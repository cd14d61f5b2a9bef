import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the counts for monitoring, and the groups of failed instances.
@Suite(.timeLimit(.minutes(20))) struct EngineMetricsTests {
    private static let job = """
        id: job
        initial: idle
        context: {by: null, n: 0}
        states:
          idle:
            on:
              take: {actions: {assign: {by: event.data}}}
              go: {actions: {send: {event: count}}}
              count: {target: busy, actions: {assign: {n: 10 + context.by}}}
            after: {1h: busy}
          busy: {}
        """

    private func failing() async throws -> TimedEngine {
        let timed = try await TimedEngine(Self.job)
        for (name, value) in [("a", "x"), ("b", "x"), ("c", true), ("d", 1)] as [(String, JSONValue)] {
            try await timed.start("job", name)
            try await timed.send("take", value, to: name)
            try await timed.send("go", to: name)
        }
        return timed
    }

    @Test func rowsAndFailuresAreCounted() async throws {
        let timed = try await failing()
        let report = try await timed.engine.report(by: .test)
        var kinds: [JournalKind: Int] = [:]
        for (key, count) in report.counts.events { kinds[key.kind, default: 0] += count }
        #expect(kinds == [.started: 4, .event: 8, .sent: 1, .failed: 3])
        #expect(report.counts.failures.map(\.key.machine) == ["job"] && report.counts.failures.values.first == 3)
        #expect(report.counts.commits.counts.reduce(0, +) >= 12)
        #expect(report.counts.batches.sum == 16)
        #expect(report.waits.counts.reduce(0, +) >= 12 && report.waiting == 0)
        #expect(Set(report.names.values) == ["job"])
        #expect(report.tally.map(\.count) == [3, 1] && report.tally.map(\.key.configuration) == ["idle", "busy"])
        try await timed.stop()
    }

    @Test func timersThatComeLateAreCountedAsLate() async throws {
        let timed = try await TimedEngine(Self.job)
        try await timed.start("job", "a")
        try await timed.pass(3_600_000 + 2_000)
        let counts = timed.engine.metrics.counts
        #expect(counts.lateness.counts.reduce(0, +) == 1)
        try await timed.stop()
    }

    @Test func failuresAreGroupedByWhatTheyHaveInCommon() async throws {
        let timed = try await failing()
        let found = try await timed.engine.failures(of: [], by: .test)
        #expect(found.groups.map(\.count) == [2, 1] && found.others == 0)
        #expect(found.groups[0].instance == "a" && found.groups[0].failure.event == "count")
        #expect(found.groups[0].failure.message.hasPrefix("no such overload: int + string"))
        #expect(found.groups[1].failure.message.hasPrefix("no such overload: int + bool"))
        #expect(try await timed.engine.failures(of: ["job"], by: .test).groups == found.groups)
        await #expect(throws: Rejection.self) { try await timed.engine.failures(of: ["jab"], by: .test) }
        // The failures of other namespaces are not there.
        let other = Caller("uid:2", namespace: NamespaceID(rawValue: 2))
        #expect(try await timed.engine.failures(of: [], by: other).groups.isEmpty)
        let report = try await timed.engine.report(by: other)
        #expect(report.names.isEmpty && report.tally.isEmpty)
        try await timed.stop()
    }

    @Test func failuresBeyondTheBoundAreCounted() async throws {
        var limits = EngineLimits()
        limits.failureGroups = 1
        limits.countedPage = 1
        let timed = try await TimedEngine(Self.job, limits: limits)
        for (name, value) in [("a", "x"), ("b", true), ("c", "x"), ("d", [:])] as [(String, JSONValue)] {
            try await timed.start("job", name)
            try await timed.send("take", value, to: name)
            try await timed.send("go", to: name)
        }
        let found = try await timed.engine.failures(of: [], by: .test)
        #expect(found.groups.map(\.count) == [2] && found.others == 2)
        try await timed.stop()
    }

    @Test func theMachinesThatAreShownStayThese() {
        let metrics = EngineMetrics()
        func names(_ ids: ClosedRange<Int64>) -> [MachineID: MachineName] {
            Dictionary(uniqueKeysWithValues: ids.map { (MachineID(rawValue: $0), MachineName(rawValue: "m\($0)")) })
        }
        #expect(metrics.shown(names(5...6), atMost: 3) == ["m5", "m6"])
        #expect(metrics.shown(names(1...9), atMost: 3) == ["m1", "m5", "m6"])
        #expect(metrics.shown(names(2...3), atMost: 3) == ["m1", "m5", "m6"])
    }

    @Test func theQueuesThatHaveCountsStayThese() {
        let metrics = EngineMetrics()
        metrics.show(queues: (1...EngineMetrics.shownQueues + 5).map { "task:q\($0)" })
        metrics.show(queues: ["task:q1", "task:later"])
        let queues = metrics.counts.queues
        #expect(queues.count == EngineMetrics.shownQueues + 1 && queues[EngineMetrics.others] != nil)
        #expect(queues["task:q1"] != nil && queues["task:later"] == nil)
    }

    /// A restart does not make the daemon forget that somebody has verified, or made a backup.
    @Test func whatWasVerifiedAndCopiedStaysKnownOverARestart() async throws {
        let timed = try await TimedEngine(Self.job)
        let verified = timed.clock.now()
        _ = try await timed.engine.verify(instance: nil, by: .test) { _ in }
        #expect(try await timed.engine.report(by: .test).upkeep == UpkeepTimes(verification: verified))
        try await timed.restart(after: 5_000)
        #expect(try await timed.engine.report(by: .test).upkeep == UpkeepTimes(verification: verified))
        let copied = timed.clock.now()
        try await fetchBackup(of: timed.engine)
        let both = UpkeepTimes(backup: copied, verification: verified)
        #expect(copied > verified)
        #expect(try await timed.engine.report(by: .test).upkeep == both)
        try await timed.restart(after: 5_000)
        #expect(try await timed.engine.report(by: .test).upkeep == both)
        try await timed.stop()
    }

    /// Makes a backup and fetches it completely.
    private func fetchBackup(of engine: Engine) async throws {
        var name: BackupName?
        for try await event in try engine.backup() {
            if case .ready(let backup) = event { name = backup.name }
        }
        let made = try #require(name)
        let fetch = try #require(try await engine.fetchBackup(made.text))
        while try !fetch.read().isEmpty {}
        fetch.end(isWhole: true)
    }

    @Test func aHistogramCountsByRanges() {
        var histogram = Histogram([1, 10])
        for value in [0.5, 1, 1.5, 10, 11] { histogram.add(value) }
        histogram.add(.milliseconds(1_500))
        #expect(histogram.counts == [2, 3, 1] && histogram.sum == 25.5)
    }
}
