import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests bulk runs on a store with four partitions.
@Suite(.timeLimit(.minutes(20))) struct PartitionedRunTests {
    private static let count = 40
    private static let flip = BulkAction.send(event: "flip", data: nil)
    private static let all = BulkSelection(machines: ["lamp"])
    private static let partitions = (0..<4).map(PartitionID.init(rawValue:))

    private let store = FakeStore(partitions: 4)
    private let running: RunningEngine

    private var engine: Engine { running.engine }

    /// Starts forty lamps of version 1. There is a version 2 too.
    init() async throws {
        var limits = EngineLimits()
        (limits.selectedPage, limits.batchRows, limits.keptRuns) = (4, 8, 4)
        running = try await RunningEngine(store: store, limits: limits)
        for number in 0..<Self.count { try await running.start("l-\(number)") }
        _ = try await engine.apply(
            RunningEngine.definition.replacing("{lit: false}", with: "{lit: false, n: 0}"), syntax: .yaml)
    }

    private func begin(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = all, names: [InstanceName] = [],
        isAtomic: Bool = false
    ) async throws -> BulkView {
        let targets: BulkRequest.Targets =
            names.isEmpty ? .selection(selection) : .names(names.count, BulkRequest.digest(of: names))
        let request = BulkRequest(action: action, targets: targets, reason: "r", isAtomic: isAtomic)
        return try await engine.begin(run: name, request, names, by: .test)
    }

    private func ended(_ name: String) async throws -> BulkView {
        try await eventually("the run has ended") {
            try await engine.run(named: name, by: .test).record.state == .done
        }
        return try await engine.run(named: name, by: .test)
    }

    private func run(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = all, names: [InstanceName] = []
    ) async throws -> BulkView {
        _ = try await begin(name, action, selection, names: names)
        return try await ended(name)
    }

    /// Begins a run, and stops it before it has done an instance.
    private func stop(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = all, before instance: InstanceName
    ) async throws {
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == instance } ? StoreError(.unavailable, "made to fail") : nil
        }
        _ = try await begin(name, action, selection)
        try await eventually("the run pauses") { try await engine.run(named: name, by: .test).paused != nil }
        try await eventually("the run is stopped") {
            // The stop may share a batch with the part that fails.
            _ = try? await engine.stopRun(named: name, by: .test)
            return try await engine.run(named: name, by: .test).record.state == .stopped
        }
        store.fail { _, _ in nil }
    }

    private func seqs() -> [Int64] {
        (0..<Self.count).map { store.record("l-\($0)")?.seq.rawValue ?? 0 }
    }

    private func parts(_ name: String) -> [BulkRecord] {
        store.content.withLock { content in
            content.runs.values.filter { $0.key.name == name }.sorted { $0.key < $1.key }
        }
    }

    @Test func eachPartitionDoesItsPartAndTheViewAddsThemUp() async throws {
        let begun = try await begin("r", Self.flip)
        #expect(begun.record.selected == Self.count)
        let run = try await ended("r")
        #expect(run.outcome.brief == "done \(Self.count)" && run.record.selected == Self.count)
        #expect(run.outcome.told.count == 20 && run.record.ended != nil)
        #expect(seqs() == [Int64](repeating: 2, count: Self.count))
        #expect(parts("r").map(\.key.partition) == Self.partitions)
        #expect(parts("r").allSatisfy { $0.state == .done && $0.floor.partition == $0.key.partition })
        // The same request again does nothing again.
        #expect(try await begin("r", Self.flip).record.state == .done)
        #expect(try await engine.runs(by: .test).count == 1)
        let refused = try await self.run("s", .send(event: "off", data: nil), BulkSelection(states: ["on"]))
        #expect(refused.outcome.brief == "done \(Self.count)")
        try await running.stop()
    }

    @Test func aRunByNamesFindsEachInItsPartition() async throws {
        let names = ["l-7", "none", "l-3", "l-21", "l-3"].map(InstanceName.init(rawValue:))
        let run = try await run("r", Self.flip, names: names)
        #expect(run.outcome.total == 5 && run.outcome.count(of: .done) == 4 && run.record.selected == 5)
        #expect(seqs().filter { $0 == 2 }.count == 2 && store.record("l-3")?.seq.rawValue == 3)
        #expect(parts("r").allSatisfy { $0.state == .done })
        try await running.stop()
    }

    @Test func aMigrationIsStoppedResumedAndUndoneInAllPartitions() async throws {
        let migration = BulkAction.migrate(to: 2, MigrationPlan(), retries: false)
        try await stop("m", migration, BulkSelection(machines: ["lamp"], versions: [1]), before: "l-9")
        #expect(try await engine.run(named: "m", by: .test).outcome.total < Self.count)
        #expect(try await engine.resumeRun(named: "m", by: .test).record.state != .stopped)
        #expect(try await ended("m").outcome.brief == "done \(Self.count)")
        // One instance has gone on since.
        _ = try await running.flip("l-5")
        let undo = try await run("u", .undo("m", invocations: nil))
        #expect(undo.outcome.brief == "done \(Self.count - 1), changed 1")
        #expect(try await engine.run(named: "m", by: .test).undoneBy == "u")
        let versions = store.content.withLock { content in
            content.instances.values.filter { $0.seq.rawValue == 3 && $0.name != "l-5" }.map(\.machineID)
        }
        #expect(versions.count == Self.count - 1 && Set(versions).count == 1)
        let stops = store.content.withLock { $0.changes.count { $0.action == .runStop } }
        #expect(stops == 1)
        try await running.stop()
    }

    /// The parts that were not opened are opened before they go on, also by the next daemon.
    @Test func aBeginThatWasInterruptedGoesOn() async throws {
        store.fail { _, batch in
            let isOther = batch.numbers.partition != .first && !batch.changedRuns.isEmpty
            return isOther ? StoreError(.unavailable, "made to fail") : nil
        }
        await #expect(throws: Rejection.self) { _ = try await begin("r", Self.flip) }
        #expect(parts("r").map { $0.request.contains("instances") } == [true, false, false, false])
        store.fail { _, _ in nil }
        try await running.stop()
        let store = store.reopened()
        let again = try await RunningEngine(store: store)
        try await eventually("the run has ended") {
            try await again.engine.run(named: "r", by: .test).record.state == .done
        }
        #expect(try await again.engine.run(named: "r", by: .test).outcome.brief == "done \(Self.count)")
        let isOpened = store.content.withLock { $0.runs.values.allSatisfy { $0.request.contains("instances") } }
        #expect(isOpened)
        try await again.stop()
    }

    /// A run that could not be opened in a partition is opened there once the store accepts writes.
    @Test func aPartThatCannotBeOpenedIsOpenedLater() async throws {
        store.fail { _, batch in
            let isOther = batch.numbers.partition != .first && !batch.changedRuns.isEmpty
            return isOther ? StoreError(.unavailable, "made to fail") : nil
        }
        await #expect(throws: Rejection.self) { _ = try await begin("r", Self.flip) }
        try await eventually("the run pauses") { try await engine.run(named: "r", by: .test).paused != nil }
        store.fail { _, _ in nil }
        #expect(try await ended("r").outcome.brief == "done \(Self.count)")
        try await running.stop()
    }

    @Test func whoIsStartedAfterTheBeginIsNotTheRuns() async throws {
        try await stop("r", Self.flip, before: "l-9")
        for number in 0..<16 { try await running.start("late-\(number)") }
        _ = try await engine.resumeRun(named: "r", by: .test)
        #expect(try await ended("r").outcome.brief == "done \(Self.count)")
        for number in 0..<16 { #expect(store.record("late-\(number)")?.seq.rawValue == 1) }
        try await running.stop()
    }

    @Test func theOldestRunsAreForgottenInAllPartitions() async throws {
        for number in 0..<6 { _ = try await run("r-\(number)", Self.flip, names: ["l-1", "l-2", "l-3", "l-4"]) }
        let kept = store.content.withLock { Set($0.runs.keys.map(\.name)) }
        #expect(kept == ["r-2", "r-3", "r-4", "r-5"])
        let names = store.content.withLock { Set($0.runNames.keys.map(\.name)) }
        #expect(names == kept)
        try await running.stop()
    }

    /// Timers that are due while the machine is suspended fire when the run resumes their instances.
    @Test func aResumedMachineResumesInstancesOfAllPartitions() async throws {
        let (store, clock) = (FakeStore(partitions: 4), HandClock())
        let running = try await RunningEngine(store: store, clock: clock)
        let machine = "id: timed\ninitial: a\nstates: {a: {after: {1s: b}}, b: {type: final}}"
        try await running.engine.apply(machine, syntax: .yaml)
        for number in 0..<16 {
            _ = try await running.engine.start(StartCommand(machine: "timed", instance: "t-\(number)"))
        }
        _ = try await running.engine.suspend(machine: "timed", reason: nil, by: .test)
        clock.advance(1_000)
        running.engine.clockWasMoved()
        try await eventually("all are suspended") {
            store.content.withLock { $0.instances.values.allSatisfy { $0.status == .suspended } }
        }
        let (settled, _) = try await running.engine.resume(machine: "timed", run: "r", reason: nil, by: .test)
        #expect(!settled.setting.isSuspended)
        try await eventually("all are done") {
            store.content.withLock { $0.instances.values.allSatisfy { $0.status == .done } }
        }
        try await eventually("the run has ended") {
            try await running.engine.run(named: "r", by: .test).record.state == .done
        }
        #expect(try await running.engine.run(named: "r", by: .test).outcome.brief == "done 16")
        try await running.stop()
        try await self.running.stop()
    }

    @Test func anInstanceKeepsItsPartitionWhenItIsRenamed() async throws {
        let placement = Placement(partitions: 4)
        func partition(_ name: InstanceName) -> PartitionID {
            placement.partition(of: InstanceKey(name, in: .default))
        }
        let names = (0..<16).map { InstanceName(rawValue: "m-\($0)") }
        let (own, other) = (
            try #require(names.first { partition($0) == partition("l-2") }),
            try #require(names.first { partition($0) != partition("l-2") })
        )
        _ = try await run("r", Self.flip, names: ["l-1", "l-2", "l-3"])
        let advice = try #require(placement.name(like: other, in: partition("l-2"), of: .default))
        await #expect {
            _ = try await engine.redact(RedactCommand(instance: "l-2", newName: other, reason: "r", by: .test))
        } throws: {
            ($0 as? Rejection)?.message.contains("such as '\(advice)'") ?? false
        }
        _ = try await engine.redact(RedactCommand(instance: "l-2", newName: own, reason: "r", by: .test))
        #expect(try await running.flip(own.rawValue).seq.rawValue == 4)
        let told = try await engine.run(named: "r", by: .test).outcome.told.map(\.instance.rawValue)
        #expect(Set(told) == ["l-1", own.rawValue, "l-3"])
        try await running.stop()
    }

    @Test func deletionsAndRedactionsReachAllPartitions() async throws {
        let redacted = try await run("x", .redact(paths: []))
        #expect(redacted.outcome.brief == "done \(Self.count)")
        let open = store.content.withLock { $0.erasures.values.contains { $0.walk != nil } }
        #expect(!open)
        _ = try await run("c", .repair(.cancel(runsActions: true)))
        let purged = try await engine.purge(PurgeRequest(age: 0, reason: "r", by: .test))
        #expect(purged.deleted == Self.count && purged.isDone && purged.pending == nil)
        try await eventually("all rows are gone") { store.content.withLock { $0.instances.isEmpty } }
        try await running.stop()
    }

    @Test func whatIsForAllOrNoneIsDoneInOnePartitionAndRefusedInSeveral() async throws {
        await #expect { _ = try await begin("r", Self.flip, isAtomic: true) } throws: {
            ($0 as? Rejection)?.code == .notImplemented
        }
        let placement = Placement(partitions: 4)
        let names = (0..<Self.count).map { InstanceName(rawValue: "l-\($0)") }.filter {
            placement.partition(of: InstanceKey($0, in: .default)) == Self.partitions[2]
        }
        _ = try await begin("s", Self.flip, names: names, isAtomic: true)
        #expect(try await ended("s").outcome.count(of: .done) == names.count)
        try await running.stop()
    }
}
