import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@testable import WorkflowServer

/// What a stream reads before it sends it.
@Suite(.timeLimit(.minutes(2))) struct StreamRowsTests {
    private static let machine = """
        id: lamp
        initial: off
        states: {off: {on: {push: on}}, on: {on: {push: off}}}
        """

    /// A stream from the first row on, of far more rows than a part has; and its budget.
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
        let rows = StreamRows(
            after: .beginning(of: .first), of: JournalTail(engine: host.engine, caller: .test, limits: limits),
            JournalFilter(), engine: host.engine, by: .test, limits: limits, budget: budget)
        return (host, rows, budget)
    }

    /// The rows that a stream tells from here on.
    private static func seqs(_ rows: inout StreamRows) async throws -> [Int] {
        var text = ""
        while let part = try await rows.next() {
            text += String(decoding: part.text, as: UTF8.self)
            if part.isLast { break }
        }
        return text.matches(of: /"seq":(\d+)/).compactMap { Int($0.1) }
    }

    /// A caller that does not read leaves them there.
    @Test func whatIsReadAheadCountsUntilItIsSent() async throws {
        var (host, rows, budget) = try await Self.rows()
        _ = try await rows.next()
        // Reserved for two parts; each gives back what its twelve rows do not take, once they are read.
        while budget.used >= 6_000 { await Task.yield() }
        #expect(budget.used > 4_000)
        let rest = try await Self.seqs(&rows)
        #expect(rest == Array((201 - rest.count)...200))
        // What was begun in vain gives all of it back when it ends.
        while budget.used > 0 { await Task.yield() }
        try await host.stop()
    }

    /// Others have more of the memory then.
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
}
