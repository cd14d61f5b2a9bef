import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests runs whose selection has a condition or the begin of names.
@Suite(.timeLimit(.minutes(20))) struct ConditionRunTests {
    private static let repairable = BulkSelection(machines: ["pot"], condition: "context.by > 0 && status == 'failed'")

    /// Thirty instances; every third has failed, and half of these can go on.
    private static func bench(_ limits: EngineLimits = EngineLimits()) async throws -> BulkBench {
        let bench = try await BulkBench(30, limits: limits) { $0 % 3 == 0 }
        for number in stride(from: 0, to: 30, by: 6) {
            let change = ContextChange(set: ["by": 2], unset: [])
            _ = try await bench.engine.repair(RepairCommand(instance: "p-\(number)", .set(change), reason: "r"))
        }
        return bench
    }

    @Test func aRunDoesWhatItsRehearsalSelected() async throws {
        let bench = try await Self.bench()
        let rehearsal = try await bench.rehearse(.repair(.retry), Self.repairable)
        #expect(rehearsal.selected == 5 && rehearsal.outcome.brief == "done 5")
        #expect(rehearsal.examination.examined == 30 && rehearsal.examination.failed == 0)
        let other = BulkSelection(machines: ["pot"], condition: "context.by == 0 && status == 'failed'")
        #expect(try await bench.rehearse(.repair(.retry), other).digest != rehearsal.digest)
        let told = try await bench.told {
            _ = try await bench.begin(
                "ops-1", .repair(.retry), other, expect: String(rehearsal.digest.text.prefix(6)))
        }
        #expect(told.hasPrefix("selection-changed"), "\(told)")
        let begun = try await bench.begin(
            "ops-1", .repair(.retry), Self.repairable, expect: String(rehearsal.digest.text.prefix(6)))
        let run = try await bench.ended(begun)
        #expect(run.outcome.brief == "done 5" && begun.record.selected == 5)
        #expect(try await bench.rows(of: "ops-1") == (5, 1))
        // The same request gets the progress, and another condition is another request.
        let again = try await bench.begin(
            "ops-1", .repair(.retry), Self.repairable, expect: String(rehearsal.digest.text.prefix(6)))
        #expect(again.record.key == run.record.key)
        let reused = try await bench.told { _ = try await bench.begin("ops-1", .repair(.retry), other) }
        #expect(reused.hasPrefix("key-reused"), "\(reused)")
        try await bench.expectWhole()
    }

    @Test func aRunActsOnTheBeginOfNames() async throws {
        let bench = try await Self.bench()
        let selection = BulkSelection(states: ["idle"], prefix: "p-2")
        let rehearsal = try await bench.rehearse(.send(event: "go", data: nil), selection)
        #expect(rehearsal.selected == 11)
        let run = try await bench.ended(
            try await bench.begin("ops-1", .send(event: "go", data: nil), selection))
        // Four instances of p-2 and p-20 to p-29 have failed.
        #expect(run.record.selected == 11 && run.outcome.total == 11)
        #expect(try await bench.timed.record("p-3").state.configuration == "idle")
        #expect(try await bench.timed.record("p-2").state.configuration == "busy")
        try await bench.expectWhole()
    }

    @Test(.onePartition("the run stops at one place of one order"))
    func instancesThatHaveMovedAreLeftAloneAndCounted() async throws {
        let store = FakeStore()
        var limits = EngineLimits()
        (limits.selectedPage, limits.batchRows) = (4, 8)
        let running = try await RunningEngine(store: store, limits: limits)
        let engine = running.engine
        for number in 0..<40 { try await running.start("l-\(number)") }
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "l-8" } ? StoreError(.unavailable, "made to fail") : nil
        }
        let selection = BulkSelection(condition: "machine == 'lamp' && size(name) >= 3 && state != 'none'")
        let request = BulkRequest(
            action: .send(event: "flip", data: nil), targets: .selection(selection), reason: "r")
        let begun = try await engine.begin(run: "r", request, [], by: .test)
        #expect(begun.record.selected == 40)
        // An earlier release must not read the selection without its condition.
        #expect(begun.record.request.contains(#""narrow":{"where""#) && !begun.record.request.contains("select"))
        try await eventually("the run pauses") { try await engine.run(named: "r", by: .test).paused != nil }
        try await eventually("the run is stopped") {
            _ = try? await engine.stopRun(named: "r", by: .test)
            return try await engine.run(named: "r", by: .test).record.state == .stopped
        }
        store.fail { _, _ in nil }
        for number in [20, 30] {
            let name = InstanceName(rawValue: "l-\(number)")
            for _ in 0..<2 {
                _ = try await engine.send(SendCommand(instance: name, event: Event(name: "flip"), by: .test))
            }
        }
        try await running.start("l-40")
        _ = try await engine.resumeRun(named: "r", by: .test)
        try await eventually("the run has ended") { try await engine.run(named: "r", by: .test).record.state == .done }
        let run = try await engine.run(named: "r", by: .test)
        #expect(run.outcome.brief == "done 38, changed 2")
        #expect(store.record("l-20")?.seq.rawValue == 3 && store.record("l-40")?.seq.rawValue == 1)
        #expect(store.record("l-39")?.seq.rawValue == 2)
    }

    @Test func whatHasNoValueIsLeftOutAndCounted() async throws {
        let bench = try await Self.bench()
        let selection = BulkSelection(machines: ["pot"], condition: "name == 'p-4' ? context.missing : context.by == 2")
        let rehearsal = try await bench.rehearse(.repair(.retry), selection)
        #expect(rehearsal.selected == 5 && rehearsal.examination.failed == 1)
        #expect(rehearsal.examination.first?.instance == "p-4")
        let run = try await bench.ended(try await bench.begin("ops-1", .repair(.retry), selection))
        #expect(run.outcome.unevaluated == 1 && run.outcome.brief == "done 5")
        let told = try await bench.told {
            _ = try await bench.rehearse(.repair(.retry), BulkSelection(condition: "contxt.a == 1"))
        }
        #expect(told.hasPrefix("invalid-data: The condition of the selection cannot be evaluated: line 1, column 1"))
        try await bench.expectWhole()
    }

    @Test func aRunGoesOnAfterARestart() async throws {
        let bench = try await Self.bench()
        let begun = try await bench.begin("ops-1", .repair(.retry), Self.repairable)
        try await bench.timed.restart()
        let run = try await bench.ended(begun)
        #expect(run.outcome.brief == "done 5" && run.record.request == begun.record.request)
        #expect(try await bench.rows(of: "ops-1") == (5, 1))
        try await bench.expectWhole()
    }
}
