import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that each change that belongs to no instance's history leaves a row, and that refusals, repetitions and
/// rehearsals leave none.
@Suite(.timeLimit(.minutes(20))) struct RecordedChangesTests {
    private static let ana = Caller("ana", namespace: .default)
    private static let lampAgain = RunningEngine.definition + "\n"

    /// Returns the recorded changes, the first one first, without the machine of `RunningEngine`.
    private static func changes(_ engine: Engine) async throws -> [ChangeRecord] {
        let page = try await engine.audits(AuditQuery(limit: 100), by: .test).page
        return page.entries.reversed().compactMap { entry in
            guard case .change(let change) = entry else { return nil }
            return change
        }
    }

    /// Returns the lines of the changes that `body` makes.
    private static func lines(_ engine: Engine, _ body: () async throws -> Void) async throws -> [String] {
        let before = try await changes(engine).count
        try await body()
        return try await changes(engine).dropFirst(before).map { change in
            let parts: [String?] = [
                change.actor?.rawValue, change.action.rawValue, change.object, change.version?.description,
                change.number.map(String.init), change.detail, change.reason.map { "(\($0))" },
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func aVersionIsRecordedOnce() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        #expect(try await Self.changes(engine).map(\.action) == [.apply])
        let applied = try await Self.lines(engine) {
            for _ in 1...2 { _ = try await engine.apply(Self.lampAgain, syntax: .yaml, by: Self.ana) }
            await #expect(throws: Rejection.self) { try await engine.apply("id: ?", syntax: .yaml, by: Self.ana) }
        }
        #expect(applied == ["ana apply lamp 2"])
        let later = try await Self.lines(engine) {
            _ = try await engine.apply(Self.lampAgain + "\n", syntax: .yaml, isActivated: false, by: Self.ana)
        }
        #expect(later == ["ana apply lamp 3 active: 2"])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func settingsOfMachinesAreRecordedWhenTheyChange() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        func set(_ change: SetMachineCommand.Change, reason: String? = nil) async throws {
            var command = SetMachineCommand(machine: "lamp", change, by: Self.ana)
            command.reason = reason
            for _ in 1...2 { _ = try await engine.set(command) }
        }
        let lines = try await Self.lines(engine) {
            try await set(.active(1))
            try await set(.active(nil))
            try await set(.retention(7_776_000_000))
            try await set(.retention(nil))
            try await set(.suspended(true), reason: "OPS-1")
            try await set(.suspended(false), reason: "OPS-2")
            await #expect(throws: Rejection.self) { try await set(.active(9)) }
            await #expect(throws: Rejection.self) {
                _ = try await engine.set(SetMachineCommand(machine: "none", .active(1), by: Self.ana))
            }
        }
        #expect(
            lines == [
                "ana activate lamp 1 active: 1", "ana activate lamp active: latest",
                "ana retention lamp retention: 90d", "ana retention lamp retention: for ever",
                "ana suspend lamp (OPS-1)", "ana resume lamp (OPS-2)",
            ])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func queuesAndHoldsAreRecordedWhenTheyChange() async throws {
        var limits = EngineLimits()
        limits.settledQueues = 1
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open(), limits: limits)
        let engine = running.engine
        let rate = SetQueueCommand.Rate(count: 100, milliseconds: 1_000)
        let lines = try await Self.lines(engine) {
            for _ in 1...2 {
                _ = try await engine.set(
                    SetQueueCommand(
                        queue: "task:a", concurrency: .set(4), rate: .set(rate), isPaused: true, by: Self.ana))
            }
            await #expect(throws: Rejection.self) {
                _ = try await engine.set(SetQueueCommand(queue: "task:b", isPaused: true, by: Self.ana))
            }
            _ = try await engine.set(
                SetQueueCommand(
                    queue: "task:a", concurrency: .standard, rate: .standard, isPaused: false, by: Self.ana))
            for isHeld in [true, true, false, false] {
                try await engine.hold(HoldCommand(isHeld: isHeld, by: Self.ana))
            }
        }
        #expect(
            lines == [
                "ana queue task:a concurrency 4, rate 100 in 1s, paused", "ana queue task:a defaults", "ana hold",
                "ana release",
            ])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func runsAreRecordedWhenTheyBeginStopAndGoOn() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        for name in ["a", "b"] { try await running.start(name) }
        let request = BulkRequest(
            action: .send(event: "flip", data: nil), targets: .selection(BulkSelection(machines: ["lamp"])),
            reason: "OPS-3")
        let lines = try await Self.lines(engine) {
            for _ in 1...2 { _ = try await engine.begin(run: "r", request, [], by: Self.ana) }
            try await eventually("the run has ended") {
                try await engine.run(named: "r", by: .test).record.state == .done
            }
            // A finished run stays finished.
            _ = try await engine.stopRun(named: "r", by: Self.ana)
            await #expect(throws: Rejection.self) { _ = try await engine.stopRun(named: "none", by: Self.ana) }
            _ = try await engine.rehearse(try await engine.checked(request, [], by: Self.ana), by: Self.ana) { _ in }
        }
        #expect(lines == ["ana run-begin r send: 2 instances (OPS-3)"])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aStoppedRunIsRecorded() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        let names = (0..<200).map { "l-\($0)" }
        for name in names { try await running.start(name) }
        let given = names.map(InstanceName.init(rawValue:))
        var number = 0
        var lines: [String] = []
        // A run may end before it is stopped.
        repeat {
            number += 1
            let request = BulkRequest(
                action: .send(event: "flip", data: .int(Int64(number))),
                targets: .names(given.count, BulkRequest.digest(of: given)))
            lines = try await Self.lines(engine) {
                _ = try await engine.begin(run: "r-\(number)", request, given, by: Self.ana)
                for _ in 1...2 { _ = try await engine.stopRun(named: "r-\(number)", by: Self.ana) }
                _ = try await engine.resumeRun(named: "r-\(number)", by: Self.ana)
            }
        } while lines.count == 1
        #expect(
            lines == [
                "ana run-begin r-\(number) send: 200 instances", "ana run-stop r-\(number) send",
                "ana run-resume r-\(number) send",
            ])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aMachineThatGoesOnIsRecordedWithItsRun() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        let lines = try await Self.lines(engine) {
            _ = try await engine.suspend(machine: "lamp", reason: "OPS-1", by: Self.ana)
            for _ in 1...2 { _ = try await engine.resume(machine: "lamp", run: "r", reason: "OPS-2", by: Self.ana) }
        }
        #expect(
            lines == [
                "ana suspend lamp (OPS-1)", "ana resume lamp (OPS-2)", "ana run-begin r resume: 0 instances (OPS-2)",
            ])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aFetchedBackupIsRecorded() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        let lines = try await Self.lines(engine) {
            var last: BackupEvent?
            for try await event in try engine.backup(by: Self.ana) { last = event }
            guard case .ready(let backup) = last else { throw TestingError("there is no backup") }
            #expect(try await engine.fetchBackup("0123456789abcdef", by: Self.ana) == nil)
            let fetch = try #require(try await engine.fetchBackup(backup.name.text, by: Self.ana))
            #expect(try await Self.changes(engine).last?.detail == "fetched: \(fetch.backup.bytes) bytes")
            fetch.end(isWhole: true)
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("ana backup fetched: "), "\(lines)")
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test func aMovedClockIsRecordedOnce() async throws {
        let clock = VirtualClock(at: Timestamp(rawValue: 1_700_000_000_000))
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open(), clock: clock)
        let engine = running.engine
        let lines = try await Self.lines(engine) {
            for _ in 1...2 {
                _ = try await engine.moveClock(to: Timestamp(rawValue: 1_700_000_060_000), by: Self.ana)
            }
            await #expect(throws: Rejection.self) {
                _ = try await engine.moveClock(to: Timestamp(rawValue: 1_600_000_000_000), by: Self.ana)
            }
        }
        #expect(lines == ["ana clock moved: to 2023-11-14T22:14:20.000Z"])
        try await running.stop()
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [false, true]) func aChangeOfTokensIsRecordedUnlessALaterOneIs(isFake: Bool) async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: isFake ? FakeStore() : try folder.open())
        let engine = running.engine
        let lines = try await Self.lines(engine) { () async throws in
            #expect(try await engine.record(changeOf: "shop", "created: send", number: 4, by: Self.ana))
            #expect(try await !engine.record(changeOf: "shop", "created: send", number: 4, by: Self.ana))
            #expect(try await !engine.record(changeOf: "old", "revoked", number: 3, by: Self.ana))
            for (token, number) in [("", 5), ("x", -1), ("x", .max)] as [(String, Int64)] {
                await #expect(throws: Rejection.self) {
                    try await engine.record(changeOf: token, "d", number: number, by: Self.ana)
                }
            }
            // Both are applied before one is on disk.
            async let first = engine.record(changeOf: "ci", "revoked", number: 7, by: Self.ana)
            async let second = engine.record(changeOf: "ci", "revoked", number: 7, by: Self.ana)
            #expect(try await [first, second].count { $0 } == 1)
        }
        #expect(lines == ["ana token shop 4 created: send", "ana token ci 7 revoked"])
        try await running.stop()
        if isFake { return }
        let again = try await RunningEngine(store: try folder.open())
        #expect(try await !again.engine.record(changeOf: "ci", "revoked", number: 7, by: Self.ana))
        #expect(try await again.engine.record(changeOf: "ci", "created: work", number: 8, by: Self.ana))
        try await again.stop()
    }

    /// The change and its row are one transaction.
    @Test func aChangeThatCannotBeRecordedIsNotMade() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let file = WrittenFile(in: folder)
        try file.read {
            try $0.execute(
                sql: "CREATE TRIGGER halt BEFORE INSERT ON change BEGIN SELECT RAISE(ABORT, 'halt'); END")
        }
        await #expect(throws: Rejection.self) {
            _ = try await running.engine.apply(Self.lampAgain, syntax: .yaml, by: Self.ana)
        }
        await #expect(throws: Rejection.self) { try await running.engine.hold(HoldCommand(isHeld: true, by: Self.ana)) }
        await #expect(throws: Rejection.self) {
            _ = try await running.engine.set(SetMachineCommand(machine: "lamp", .active(1), by: Self.ana))
        }
        try file.read { try $0.execute(sql: "DROP TRIGGER halt") }
        #expect(try await running.engine.machine(named: "lamp", version: nil, by: .test).version == 1)
        #expect(try await !running.engine.hold(HoldCommand(isHeld: false, by: Self.ana)))
        #expect(try await running.engine.setting(of: "lamp", by: .test).isStandard)
        #expect(try await Self.changes(running.engine).count == 1)
        try await running.stop()
        withExtendedLifetime(folder) {}
    }
}
