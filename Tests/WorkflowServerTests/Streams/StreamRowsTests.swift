import DaemonTesting
import IdentityTesting
import Statechart
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@testable import WorkflowServer

/// Tests the reading of rows before a stream sends them.
@Suite(.timeLimit(.minutes(20))) struct StreamRowsTests {
    private static let machine = """
        id: lamp
        initial: off
        states: {off: {on: {push: on}}, on: {on: {push: off}}}
        """

    /// Returns a stream from the first row on, with far more rows than a part has, and its budget.
    private static func rows() async throws -> (ServerHost, StreamRows, AnswerBudget) {
        var limits = ServerLimits()
        limits.streamBytes = 4_000
        let host = try await ServerHost(limits: limits)
        _ = try await host.engine.apply(machine, syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "lamp", instance: "a"))
        for _ in 2...200 {
            _ = try await host.engine.send(SendCommand(instance: "a", event: Event(name: "push", data: nil)))
        }
        let budget = AnswerBudget(limit: 100_000)
        let reads = StreamReads(budget: budget)
        let rows = StreamRows(
            after: .beginning(of: .first),
            of: JournalTail(engine: host.engine, caller: .test, limits: limits, reads: reads),
            JournalFilter(), engine: host.engine, by: .test, limits: limits, reads: reads)
        return (host, rows, budget)
    }

    /// Returns the seqs of the next rows of a stream.
    private static func seqs(_ rows: inout StreamRows) async throws -> [Int] {
        var text = ""
        while let part = try await rows.next() {
            for row in part.texts { text += String(decoding: row, as: UTF8.self) }
            if part.isLast { break }
        }
        return text.matches(of: /"seq":(\d+)/).compactMap { Int($0.1) }
    }

    /// A caller that does not read leaves them there.
    @Test func whatIsReadAheadCountsUntilItIsSent() async throws {
        var (host, rows, budget) = try await Self.rows()
        _ = try await rows.next()
        // Reserved for two parts; each gives back what its twelve rows do not take, once they are read.
        try await eventually("they are read") { budget.used < 6_000 }
        #expect(budget.used > 4_000)
        let rest = try await Self.seqs(&rows)
        #expect(rest == Array((201 - rest.count)...200))
        // A read that was begun in vain gives all of its share back when it ends.
        try await eventually("all is given back") { budget.used == 0 }
        try await host.stop()
    }

    /// Other answers take more of the memory then.
    @Test func nothingIsReadAheadWhereManyAnswersWait() async throws {
        var (host, rows, budget) = try await Self.rows()
        let others = budget.counting(26_000)
        _ = try await rows.next()
        #expect(budget.used == 26_000)
        withExtendedLifetime(others) {}
        let rest = try await Self.seqs(&rows)
        #expect(rest == Array((201 - rest.count)...200))
        try await host.stop()
    }

    /// A large row counts with its size, and once, however many streams hold it.
    @Test func aLargeRowCountsOnceForAllWhoHoldIt() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(Self.machine, syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "lamp", instance: "a"))
        let budget = AnswerBudget(limit: 20_000_000)
        let reads = StreamReads(budget: budget)
        let limits = ServerLimits()
        let tail = JournalTail(engine: host.engine, caller: .test, limits: limits, reads: reads)
        var streams = (0..<20).map { _ in
            StreamRows(
                after: .beginning(of: .first), of: tail, JournalFilter(), engine: host.engine, by: .test,
                limits: limits, reads: reads)
        }
        // Each stream reads to the end, where they share what one of them reads.
        for index in streams.indices {
            while let part = try await streams[index].next(), !part.isLast {}
        }
        let data = JSONValue.string(String(repeating: "x", count: 900_000))
        _ = try await host.engine.send(SendCommand(instance: "a", event: Event(name: "push", data: data)))
        var held: [StreamRows.Part] = []
        for index in streams.indices { held.append(try #require(try await streams[index].next())) }
        #expect(held.allSatisfy { $0.texts.count == 1 && $0.texts[0].count > 900_000 })
        // A stream that comes a moment later reads for itself.
        #expect(budget.used > 900_000 && budget.used.isMultiple(of: held[0].texts[0].count), "\(budget.used)")
        #expect(Set(held.compactMap(\.share).map(ObjectIdentifier.init)).count * held[0].texts[0].count >= budget.used)
        held = []
        try await eventually("all shares to be given back") { budget.used == 0 }
        try await host.stop()
    }
}

/// Tests the amount that streams read at once.
@Suite(.timeLimit(.minutes(20))) struct StreamReadsTests {
    @Test func whatWasReadCountsForItsSizeUntilItIsGivenBack() async throws {
        let budget = AnswerBudget(limit: 1_000)
        let reads = StreamReads(budget: budget)
        let (value, share) = try await reads.read(expecting: 100, size: { (value: Int) in value }) {
            #expect(budget.used == 100)
            return 5_000
        }
        #expect(value == 5_000 && budget.used == 5_000)
        // No other read happens meanwhile.
        let other = budget.counting(0)
        let refused: Int? = try await reads.read(into: other, size: { $0 }) {
            Issue.record("it was read")
            return 1
        }
        #expect(refused == nil && budget.used == 5_000)
        withExtendedLifetime(share) {}
    }

    /// No client reads the content that streams hold, and pages are made all the same.
    @Test func streamsHoldHalfOfTheMemoryAtMost() async throws {
        let budget = AnswerBudget(limit: 1_000)
        let reads = StreamReads(budget: budget)
        var held: [AnswerBudget.Share] = []
        for _ in 0..<5 {
            held.append(try await reads.read(expecting: 100, size: { (size: Int) in size }) { 100 }.1)
        }
        #expect(budget.used == 500 && reads.share(of: 1) == nil)
        let page = try #require(budget.share(of: 500))
        // A read that waits goes on when one of the streams is read.
        page.resize(to: 0)
        async let next = reads.read(expecting: 100, size: { (size: Int) in size }) { 100 }
        held.removeFirst()
        let (_, share) = try await next
        #expect(budget.used == 500)
        held = []
        share.resize(to: 40)
        #expect(budget.used == 40)
        let rest = try #require(reads.share(of: 460))
        withExtendedLifetime((rest, share, page)) { #expect(budget.used == 500) }
    }

    @Test func fewReadAtOnce() async throws {
        let budget = AnswerBudget(limit: 1_000_000)
        let reads = StreamReads(budget: budget)
        let running = Reading()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    _ = try await reads.read(expecting: 10, size: { (size: Int) in size }) {
                        running.begins()
                        for _ in 0..<20 { await Task.yield() }
                        running.ends()
                        return 20
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.most <= StreamReads.atOnce)
        #expect(budget.used == 0)
    }
}

/// The number of concurrent reads.
private final class Reading: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func begins() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func ends() { counts.withLock { $0.now -= 1 } }
}
