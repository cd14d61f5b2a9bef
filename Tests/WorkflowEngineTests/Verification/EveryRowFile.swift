import Foundation
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

/// Writes a database with rows of every kind in every table, with a redaction, a deletion and a run that are half done.
/// The engine writes all of it.
struct EveryRowFile {
    private let bench: TaskBench
    private let clock: HandClock
    private var engine: Engine { bench.engine }
    private var path: String { bench.timed.folder.path + "/wfd.db" }

    /// Returns the bytes of the properly closed file.
    static func make() async throws -> Data {
        let file = try await EveryRowFile()
        do {
            try await file.lowered()
            try await file.restore()
            try await file.histories()
            try await file.effects()
            try await file.settings()
            try await file.runs()
            try await file.redactions()
            try await file.deletions()
            try await file.halves()
        } catch let rejection as Rejection {
            throw TestingError("\(rejection.message)")
        }
        return try Data(contentsOf: URL(filePath: file.path))
    }

    private init() async throws {
        var limits = EngineLimits()
        limits.keyAge = 7_200_000
        clock = HandClock()
        bench = try await TaskBench(UnitMachine.text, UnitMachine.text + "\n", limits: limits, clock: clock)
    }

    /// Returns a key as clients make it, with its time.
    private func key() -> String {
        var random = SystemRandomNumberGenerator()
        return UniqueID(at: clock.now(), random: &random).text
    }

    private func send(_ event: String, _ data: JSONValue? = nil, to name: String, key: String? = nil) async throws {
        clock.advance(10)
        try await bench.timed.send(event, data, to: name, key: key)
    }

    /// Lets an instance continue while the clock is ahead, and brings it down to now.
    private func lowered() async throws {
        try await bench.timed.start("unit", "lowered", key: key())
        let ahead: Int64 = 1_800_000
        clock.advance(ahead)
        try await send("later", to: "lowered")
        try await bench.timed.stop()
        clock.advance(-ahead)
        try await bench.timed.lowerStopped()
        try await bench.timed.reopen()
    }

    /// Replaces the file with a backup. An erasure is of an instance that the backup does not have.
    private func restore() async throws {
        let backup = bench.timed.folder.path + "/backup.db"
        try await bench.timed.start("unit", "first", key: key())
        try await bench.timed.stop()
        try FileManager.default.copyItem(atPath: path, toPath: backup)
        try await bench.timed.reopen()
        try await bench.timed.start("unit", "lost")
        try await redact("lost")
        try await bench.timed.stop()
        _ = try await StoreRestoration(
            backup: backup, database: path, verify: { try await Verification(of: $0).requireNone { _ in } }
        )
        .run(clock: clock.now())
        try FileManager.default.removeItem(atPath: backup)
        try await bench.timed.reopen()
    }

    /// Writes rows of every kind that needs no effects, and instances of every status.
    private func histories() async throws {
        for name in ["plain", "failed", "skipped", "held", "cancelled", "done", "ringing"] {
            try await bench.timed.start("unit", name, key: name == "plain" ? "start-plain" : key())
        }
        // Their keys are forgotten.
        try await bench.timed.pass(10_800_000)
        try await send("put", ["who": "Ann"], to: "plain", key: "text-key")
        for name in ["plain", "done"] { try await send("flip", to: name, key: key()) }
        try await send("later", to: "plain")
        try await send("later", to: "held")
        try await bench.set("plain", ["by": 2])
        try await bench.reset("plain", to: 2)
        for name in ["failed", "skipped"] { try await send("fail", to: name) }
        try await bench.repair("failed", .retry)
        try await bench.repair("skipped", .skip)
        try await bench.set("skipped", ["by": 1])
        try await bench.repair("held", .suspend)
        try await bench.repair("held", .resume)
        try await bench.repair("held", .suspend)
        try await bench.repair("cancelled", .cancel(runsActions: true))
        try await send("end", to: "done")
        try await send("ring", to: "ringing")
        // Fires late.
        try await bench.timed.pass(700_000)
        try await send("ring", to: "ringing")
        try await bench.timed.start("unit", "long", key: key())
        for number in 2...520 {
            try await send(number % 20 == 0 ? "put" : "flip", number % 20 == 0 ? ["who": "Bob"] : nil, to: "long")
        }
    }

    /// Writes effects in every state, and attempts.
    private func effects() async throws {
        _ = try await engine.hold(HoldCommand(isHeld: false, by: .test))
        for number in 0..<5 { try await bench.timed.start("order", "o-\(number)", key: key()) }
        try await bench.fail(try #require(try await bench.lease("charge", max: 1).first))
        try await bench.fail(try #require(try await bench.lease("charge", max: 1).first), "declined")
        let done = try #require(try await bench.lease("charge", max: 1).first)
        try await bench.report(.completed(["receipt": 7]), done)
        _ = try await bench.lease("charge", max: 1, seconds: 3_000)
        _ = try await bench.lease("stock", max: 1, seconds: 3_000)
        try await bench.timed.start("strict", "s")
        try await send("bad", to: "s")
        try await bench.report(.completed(1), try await bench.task("x"))
        try await bench.timed.start("unit", "mailing")
        try await send("mail", to: "mailing")
        let mail = try await bench.task("mail")
        try await bench.fail(mail, canRetry: false)
        try await send("mail", to: "mailing")
        _ = try await engine.hold(HoldCommand(isHeld: true, by: .test))
    }

    private func settings() async throws {
        let ana = Caller("ana", namespace: .default)
        for (queue, rate) in [("task:charge", SetQueueCommand.Rate(count: 5, milliseconds: 1_000)), ("task:old", nil)] {
            _ = try await engine.set(
                SetQueueCommand(
                    queue: queue, concurrency: .set(3), rate: rate.map { .set($0) } ?? .kept, isPaused: rate == nil,
                    by: ana))
        }
        _ = try await engine.set(SetMachineCommand(machine: "unit", .active(1), by: ana))
        _ = try await engine.set(SetMachineCommand(machine: "unit", .retention(1_000_000_000), by: ana))
        var suspension = SetMachineCommand(machine: "strict", .suspended(true), by: ana)
        suspension.reason = "broken"
        _ = try await engine.set(suspension)
        for number in [3, 7] as [Int64] {
            try await engine.record(changeOf: "shop", "created: send", number: number, by: ana)
        }
    }

    /// Writes runs that are done, that were stopped and that name their instances.
    private func runs() async throws {
        for number in 0..<6 { try await bench.timed.start("unit", "r-\(number)") }
        let first = BulkSelection(machines: ["unit"], versions: [1])
        try await begin("moved", .migrate(to: 2, MigrationPlan(), retries: false), first)
        try await begin("flipped", .send(event: "flip", data: nil), names: ["r-0", "r-1", "r-2", "nobody"])
        let change = ContextChange(set: ["by": 3], unset: [])
        try await begin("set", .repair(.set(change)), BulkSelection(machines: ["unit"], versions: [2]))
        var number = 0
        while try await !isStopped("stopped-\(number)") { number += 1 }
    }

    /// Returns true if a run was stopped before it was done.
    private func isStopped(_ name: String) async throws -> Bool {
        try await begin(name, .send(event: "flip", data: 1), names: ["r-3", "r-4"], ends: false)
        return try await engine.stopRun(named: name, by: .test).record.state == .stopped
    }

    private func begin(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = BulkSelection(), names: [InstanceName] = [],
        ends: Bool = true
    ) async throws {
        let targets: BulkRequest.Targets =
            names.isEmpty ? .selection(selection) : .names(names.count, BulkRequest.digest(of: names))
        clock.advance(10)
        _ = try await engine.begin(
            run: name, BulkRequest(action: action, targets: targets, reason: "r"), names, by: .test)
        guard ends else { return }
        try await eventually("the run has ended") {
            try await engine.run(named: name, by: .test).record.state == .done
        }
    }

    private func redact(
        _ name: String, seqs: String? = nil, paths: [String] = [], rename: InstanceName? = nil
    ) async throws {
        clock.advance(10)
        _ = try await engine.redact(
            RedactCommand(
                instance: InstanceName(rawValue: name), seqs: seqs.flatMap { SeqSet($0) }, paths: paths,
                newName: rename, reason: "r", by: .test))
    }

    /// Redacts running and finished instances: some rows and all rows, with another name, and again.
    private func redactions() async throws {
        for name in ["d-1", "d-2", "d-3", "d-4"] {
            try await bench.timed.start("unit", name, key: "start-\(name)")
            try await send("put", ["who": "Eve"], to: name, key: "put-\(name)")
            try await send("put", ["who": "Fay"], to: name)
        }
        try await redact("d-1", seqs: "2")
        try await send("flip", to: "d-1")
        try await redact("d-2", paths: ["who"], rename: "e-2")
        try await send("put", ["who": "Gus"], to: "e-2")
        try await send("end", to: "d-3")
        try await redact("d-3")
        try await redact("d-4", seqs: "3")
        try await send("put", ["who": "Hal"], to: "d-4")
        try await redact("d-4")
        try await send("put", ["who": "Ida"], to: "d-4")
    }

    private func delete(_ name: String, key: String? = nil, reason: String? = "r") async throws {
        clock.advance(10)
        _ = try await engine.delete(
            DeleteCommand(
                instance: InstanceName(rawValue: name), takesUnfinished: true, cancelsEffects: true, reason: reason,
                key: key.flatMap(RequestKey.init(text:)), by: .test))
    }

    /// Deletes an instance, one that was redacted before, and one whose start's key is remembered.
    private func deletions() async throws {
        for name in ["gone", "erased"] { try await bench.timed.start("unit", name) }
        try await redact("erased")
        try await delete("gone", key: key())
        try await delete("erased", reason: nil)
        try await bench.timed.start("unit", "waiting", key: key())
        try await send("put", ["who": "Jon"], to: "waiting")
        try await delete("waiting")
        try await eventually("what was deleted is taken away") { !engine.purgeBacklog.isDue }
    }

    /// Leaves a redaction and a deletion half done, each of more rows than one slice.
    private func halves() async throws {
        try await bench.timed.stop()
        var limits = EngineLimits()
        limits.sweptRows = 20
        limits.sweptBeside = 20
        limits.erasureWait = .zero
        limits.sweepPause = .seconds(86_400)
        limits.sweptBesidePause = .seconds(86_400)
        let store = try SQLiteFileStore.open(at: path, clock: clock.now())
        let running = try await RunningEngine(store: store, limits: limits, clock: clock)
        let rows = 200
        try await running.start("half")
        for _ in 2...rows { _ = try await running.flip("half") }
        _ = try await running.engine.delete(
            DeleteCommand(instance: "half", takesUnfinished: true, reason: "r", by: .test))
        let file = try DatabaseQueue(path: path)
        try await eventually("some rows are taken away") {
            // Each command makes a batch.
            _ = try await running.engine.hold(HoldCommand(isHeld: false, by: .test))
            _ = try await running.engine.hold(HoldCommand(isHeld: true, by: .test))
            let seq = try await file.read { try Int.fetchOne($0, sql: "SELECT seq FROM purge WHERE waits = 0") }
            return seq.map { $0 < rows } ?? false
        }
        // The trigger stops the sweep behind its first slice.
        try await file.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER halt BEFORE INSERT ON erasure
                    WHEN new.seq IS NULL AND new.instance_id = (SELECT id FROM instance WHERE name = 'long')
                    BEGIN SELECT RAISE(ABORT, 'halt'); END
                    """)
        }
        await #expect(throws: Rejection.self) {
            _ = try await running.engine.redact(
                RedactCommand(instance: "long", paths: ["who"], reason: "r", by: .test))
        }
        try await file.write { try $0.execute(sql: "DROP TRIGGER halt") }
        try file.close()
        try await running.stop()
    }
}
