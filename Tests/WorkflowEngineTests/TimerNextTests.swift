import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests schedules over outages and suspensions: `next` continues after one row, and `skip` ends, which is reported.
@Suite struct TimerNextTests {
    private static let start: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000

    /// - Parameter rule: The rule, `next` or `skip`.
    private static func hourly(_ rule: String, _ others: String = "") -> String {
        """
        id: hourly
        initial: waiting
        context: {n: 0}
        states:
          waiting:
            after:
              1h:
                target: waiting
                reenter: true
                actions: {assign: {n: context.n + 1}}
                misfire: {\(rule): 10m}
        \(others)
        """
    }

    /// Returns the history with the notes.
    private static func told(_ rows: [JournalRecord]) -> [String] {
        rows.map { row in
            let real = row.real.map { " (\($0.rawValue - start))" } ?? ""
            return "\(row.kind) \(row.at.rawValue - start)\(real)\(row.note.map { " " + $0 } ?? "")"
        }
    }

    private func expectVerified(_ timed: TimedEngine) async throws {
        try await Verification(of: timed.store).requireNone { _ in }
        try await timed.expectWhole("h")
    }

    @Test(.timeLimit(.minutes(20))) func afterFifteenDaysOfOutageOneRowIsWrittenAndTheScheduleGoesOn() async throws {
        let timed = try await TimedEngine(Self.hourly("next"))
        try await timed.start("hourly", "h")
        let outage = 15 * 24 * Self.hour
        try await timed.restart(after: outage)
        try await timed.settle()
        let late = outage - Self.hour
        let skipped = "timer 3600000 (\(outage)) {\"skipped\":{\"lateMilliseconds\":\(late),\"rearmed\":true}}"
        #expect(Self.told(try await timed.rows("h")) == ["started 0", skipped])
        #expect(try await timed.context("n", of: "h") == 0)
        #expect(
            try await timed.engine.timers(of: "h").map { $0.due.rawValue - Self.start } == [outage + Self.hour])
        #expect(try await timed.engine.timers(of: "h").map(\.rearms) == [true])
        try await expectVerified(timed)
        // The row is what a restart knows it by.
        try await timed.restart()
        try await timed.pass(Self.hour)
        #expect(try await timed.context("n", of: "h") == 1)
        #expect(Self.told(try await timed.rows("h")).last == "timer \(outage + Self.hour)")
        try await timed.pass(Self.hour)
        #expect(try await timed.context("n", of: "h") == 2)
        try await expectVerified(timed)
        #expect(timed.engine.metrics.counts.skippedTimers == [:])
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aSuspensionOverSeveralPeriodsIsSkippedOnce() async throws {
        let timed = try await TimedEngine(Self.hourly("next"))
        try await timed.start("hourly", "h")
        for round in 1...2 {
            _ = try await timed.engine.repair(RepairCommand(instance: "h", .suspend))
            try await timed.pass(5 * Self.hour)
            _ = try await timed.engine.repair(RepairCommand(instance: "h", .resume))
            try await timed.settle()
            #expect(try await timed.rows("h").count { $0.kind == .timer } == 2 * round - 1)
            #expect(try await timed.context("n", of: "h") == .int(Int64(round - 1)))
            try await timed.pass(Self.hour)
            #expect(try await timed.context("n", of: "h") == .int(Int64(round)))
        }
        #expect(timed.engine.metrics.counts.skippedTimers == ["hourly": 2])
        try await expectVerified(timed)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: [("", []), ("    on: {stop: {}}", ["stop"])] as [(String, [String])])
    func whoLosesItsLastTimerIsTold(others: String, accepted: [String]) async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.hourly("skip", others), logger: logged.logger)
        try await timed.start("hourly", "h")
        try await timed.pass(2 * Self.hour)
        let skipped = #"timer 3600000 (7200000) {"skipped":{"lateMilliseconds":3600000}}"#
        #expect(Self.told(try await timed.rows("h")) == ["started 0", skipped])
        #expect(timed.engine.metrics.counts.skippedTimers == ["hourly": 1])
        try await eventually("it is told") { !logged.all.isEmpty }
        #expect(
            logged.all.contains {
                $0.contains("no timer and no invocation any more: its last timer was skipped event=after.1h.waiting")
                    && $0.contains("instance=h") && $0.contains("late=1h")
            }, "\(logged.all)")
        let expected = (event: "after.1h.waiting", at: Self.start + 2 * Self.hour, late: Self.hour)
        for isResumed in [false, true] {
            if isResumed {
                _ = try await timed.engine.repair(RepairCommand(instance: "h", .suspend))
                let suspended = try await timed.engine.instance(named: "h")
                #expect(try await timed.engine.lastSkip(of: suspended, by: .test) == nil)
                _ = try await timed.engine.repair(RepairCommand(instance: "h", .resume))
            }
            let view = try await timed.engine.instance(named: "h")
            let skip = try #require(try await timed.engine.lastSkip(of: view, by: .test))
            #expect(skip.event == expected.event && skip.at.rawValue == expected.at)
            #expect(skip.lateMilliseconds == expected.late && skip.accepted == accepted)
        }
        try await expectVerified(timed)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whoHasATimerLeftIsNotTold() async throws {
        let timed = try await TimedEngine(Self.hourly("skip", "    on: {stop: {}}\nafter: {30d: {}}"))
        try await timed.start("hourly", "h")
        try await timed.pass(2 * Self.hour)
        let view = try await timed.engine.instance(named: "h")
        #expect(try await timed.engine.lastSkip(of: view, by: .test) == nil)
        #expect(timed.engine.metrics.counts.skippedTimers == ["hourly": 1])
        try await timed.stop()
    }
}
