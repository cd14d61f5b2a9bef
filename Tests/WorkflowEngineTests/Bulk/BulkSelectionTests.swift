import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that a run covers the instances that were selected when it began, and that each has one turn, whatever happens
/// meanwhile.
@Suite(.timeLimit(.minutes(10)), .onePartition("the run stops at one place of one order"))
struct BulkSelectionTests {
    private static let count = 60
    private static let flip = BulkAction.send(event: "flip", data: nil)
    private static let all = BulkSelection(machines: ["lamp"])

    private let store = FakeStore()
    private let running: RunningEngine

    private var engine: Engine { running.engine }

    /// Starts sixty lamps of version 1. There is a version 2 too.
    init() async throws {
        var limits = EngineLimits()
        limits.selectedPage = 4
        limits.batchRows = 8
        running = try await RunningEngine(store: store, limits: limits)
        for number in 0..<Self.count { try await running.start("l-\(number)") }
        _ = try await engine.apply(
            RunningEngine.definition.replacing("{lit: false}", with: "{lit: false, n: 0}"), syntax: .yaml)
    }

    /// Begins a run that stops before an instance until `body` has ended. Returns the ended run.
    private func run(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = all, stoppingAt instance: Int,
        isExpected: Bool = false, _ body: () async throws -> Void
    ) async throws -> BulkView {
        let stop = InstanceName(rawValue: "l-\(instance)")
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == stop } ? StoreError(.unavailable, "made to fail") : nil
        }
        var request = BulkRequest(action: action, targets: .selection(selection), reason: "r")
        if isExpected { request.expect = try await engine.rehearse(request, [], by: .test).digest.text }
        _ = try await engine.begin(run: name, request, [], by: .test)
        try await eventually("the run pauses") { try await engine.run(named: name, by: .test).paused != nil }
        try await eventually("the run is stopped") {
            // The stop may share a batch with the part that fails.
            _ = try? await engine.stopRun(named: name, by: .test)
            return try await engine.run(named: name, by: .test).record.state == .stopped
        }
        store.fail { _, _ in nil }
        try await body()
        _ = try await engine.resumeRun(named: name, by: .test)
        try await eventually("the run has ended") {
            try await engine.run(named: name, by: .test).record.state == .done
        }
        return try await engine.run(named: name, by: .test)
    }

    private func migrate(_ numbers: some Sequence<Int>, to version: MachineVersion) async throws {
        for number in numbers {
            _ = try await engine.migrate(
                MigrateCommand(instance: InstanceName(rawValue: "l-\(number)"), to: version, reason: "r", by: .test))
        }
    }

    private func seq(_ number: Int) -> Int64? { store.record("l-\(number)")?.seq.rawValue }

    @Test(arguments: [false, true]) func whoIsStartedAfterTheBeginIsNotTheRuns(_ isExpected: Bool) async throws {
        let run = try await run("r", Self.flip, stoppingAt: 0, isExpected: isExpected) {
            for number in 0..<40 {
                let version = MachineVersion(rawValue: Int64(1 + number % 2))
                let name = InstanceName(rawValue: "late-\(number)")
                _ = try await engine.start(StartCommand(machine: "lamp", version: version, instance: name, by: .test))
            }
        }
        #expect(run.outcome.brief == "done \(Self.count)" && run.record.selected == Self.count)
        for number in 0..<40 { #expect(store.record("late-\(number)")?.seq.rawValue == 1) }
        for number in 0..<Self.count { #expect(seq(number) == 2) }
        try await running.stop()
    }

    /// When each run has its turn, the instances of the other arrive in its version.
    @Test func migrationsTowardsEachOtherMoveTheirOwnOnly() async throws {
        try await migrate(30..<Self.count, to: 2)
        let there = BulkAction.migrate(to: 2, MigrationPlan(), retries: false)
        let back = BulkAction.migrate(to: 1, MigrationPlan(), retries: false)
        let first = try await run("there", there, BulkSelection(machines: ["lamp"], versions: [1]), stoppingAt: 0) {
            let request = BulkRequest(
                action: back, targets: .selection(BulkSelection(machines: ["lamp"], versions: [2])), reason: "r")
            _ = try await engine.begin(run: "back", request, [], by: .test)
            try await eventually("the other run has ended") {
                try await engine.run(named: "back", by: .test).record.state == .done
            }
        }
        #expect(first.outcome.brief == "done 30" && first.record.selected == 30)
        #expect(try await engine.run(named: "back", by: .test).outcome.brief == "done 30")
        for number in 0..<Self.count { #expect(seq(number) == (number < 30 ? 2 : 3), "l-\(number)") }
        try await running.stop()
    }

    /// The first instances refuse the event, and have no row about their turn.
    @Test func whoWasRefusedHasNoSecondTurnInAnotherVersion() async throws {
        let off = BulkAction.send(event: "off", data: nil)
        for number in 30..<Self.count { _ = try await running.flip("l-\(number)") }
        let run = try await run("r", off, stoppingAt: 30) {
            try await migrate(0..<10, to: 2)
            // These instances have their turn in version 2.
            try await migrate(40..<50, to: 2)
            for number in 0..<10 { _ = try await running.flip("l-\(number)") }
        }
        #expect(run.outcome.brief == "done 30, refused 30")
        for number in 0..<10 { #expect(store.record("l-\(number)")?.state.configuration == "on") }
        try await running.stop()
    }

    @Test func whoGoesToALaterVersionBeforeItsTurnHasItThere() async throws {
        let run = try await run("r", Self.flip, stoppingAt: 30) { try await migrate(20..<Self.count, to: 2) }
        #expect(run.outcome.brief == "done \(Self.count)")
        for number in 0..<Self.count { #expect(seq(number) == (number < 20 ? 2 : 3)) }
        try await running.stop()
    }

    /// Version 2 is not selected, and the run meets no instance there.
    @Test func whoGoesFromOneSelectedVersionToAnotherHasOneTurn() async throws {
        _ = try await engine.apply(
            RunningEngine.definition.replacing("{lit: false}", with: "{lit: false, m: 0}"), syntax: .yaml)
        try await migrate(40..<50, to: 2)
        let selection = BulkSelection(machines: ["lamp"], versions: [3, 1])
        let run = try await run("r", Self.flip, selection, stoppingAt: 30) {
            // These instances had their turn in version 1.
            try await migrate(0..<5, to: 3)
            try await migrate(5..<10, to: 2)
            try await migrate(5..<10, to: 3)
            // These instances have their turn in version 3.
            try await migrate(50..<55, to: 3)
            try await migrate(55..<58, to: 2)
            try await migrate(55..<58, to: 3)
            // These instances come from a version that is not selected.
            try await migrate(40..<45, to: 3)
        }
        #expect(run.record.selected == 50 && run.outcome.brief == "done 50")
        for number in 0..<Self.count {
            let isLit = store.record("l-\(number)")?.state.configuration == "on"
            #expect(isLit == !(40..<50).contains(number), "l-\(number)")
            let moves: Int64 =
                switch number {
                case 5..<10, 40..<45, 55..<58: 2
                case 0..<5, 45..<55: 1
                default: 0
                }
            #expect(seq(number) == 1 + moves + (isLit ? 1 : 0), "l-\(number)")
        }
        try await running.stop()
    }

    /// The run has left that version, and does not go back.
    @Test func whoGoesToAnEarlierVersionBeforeItsTurnIsCounted() async throws {
        try await migrate(0..<Self.count, to: 2)
        let run = try await run("r", Self.flip, stoppingAt: 30) { try await migrate(58..<Self.count, to: 1) }
        #expect(run.outcome.brief == "done 58, changed 2")
        // Each instance was moved once and flipped, or moved twice.
        for number in 0..<Self.count { #expect(seq(number) == 3) }
        for number in 58..<Self.count { #expect(store.record("l-\(number)")?.state.configuration == "off") }
        try await running.stop()
    }

    /// The instance returns to a version that the run has left, and then migrates to the later one again.
    @Test func whoGoesToAndFroHasOneTurn() async throws {
        try await migrate(50..<Self.count, to: 2)
        let off = BulkAction.send(event: "off", data: nil)
        _ = try await running.flip("l-30")
        let run = try await run("r", off, stoppingAt: 30) {
            // These instances refused the event, and would take it now.
            for number in 0..<10 { _ = try await running.flip("l-\(number)") }
            try await migrate(0..<10, to: 2)
            try await migrate(0..<5, to: 1)
            try await migrate(0..<5, to: 2)
            // These instances have had no turn.
            try await migrate(50..<Self.count, to: 1)
            try await migrate(50..<Self.count, to: 2)
        }
        #expect(run.outcome.brief == "done 1, refused 59")
        for number in 0..<10 { #expect(store.record("l-\(number)")?.state.configuration == "on") }
        try await running.stop()
    }

    @Test func whoComesIntoTheSelectionAfterTheBeginIsNotTheRuns() async throws {
        for number in 0..<10 { _ = try await engine.repair(suspension(of: number)) }
        let selection = BulkSelection(machines: ["lamp"], statuses: [.suspended])
        let resumed = try await run("r", .repair(.resume), selection, stoppingAt: 0) {
            for number in 40..<50 { _ = try await engine.repair(suspension(of: number)) }
            // The instance was selected, and is selected again.
            _ = try await engine.repair(RepairCommand(instance: "l-9", .resume, reason: "r"))
            _ = try await engine.repair(suspension(of: 9))
        }
        #expect(resumed.outcome.brief == "done 10" && resumed.record.selected == 10)
        for number in 40..<50 { #expect(store.record("l-\(number)")?.status == .suspended) }
        let inState = try await run("s", Self.flip, BulkSelection(states: ["off"]), stoppingAt: 0) {
            // The instance was off, then on, and is off again.
            for _ in 0..<2 { _ = try await running.flip("l-30") }
            _ = try await running.flip("l-31")
        }
        #expect(inState.outcome.brief == "done 49, refused 10, changed 1")
        let on = try await run("o", Self.flip, BulkSelection(statuses: [.running], states: ["on"]), stoppingAt: 0) {
            for number in 40..<50 {
                _ = try await engine.repair(RepairCommand(instance: "l-\(number)", .resume, reason: "r"))
                _ = try await running.flip("l-\(number)")
            }
            for _ in 0..<2 { _ = try await running.flip("l-59") }
        }
        #expect(on.outcome.brief == "done 50")
        try await running.stop()
    }

    private func suspension(of number: Int) -> RepairCommand {
        RepairCommand(instance: "l-\(number)", .suspend, reason: "r")
    }
}
