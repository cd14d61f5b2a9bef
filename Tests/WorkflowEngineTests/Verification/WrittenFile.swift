import Foundation
import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A database that an engine wrote and closed properly, with examples of everything; each test has a copy.
///
/// Machines: `lamp`, `oven`. Instances: `long` (lamp, 301 rows: it has a snapshot), `order-7` (lamp, 6 rows with keys
/// and data), `oven-1` (a timer fired late, another one runs), `oven-2` (the same), `oven-3` (failed on an event that
/// it sent to itself).
final class WrittenFile: Sendable {
    static let oven = """
        id: oven
        initial: cold
        context: {heats: 0, cools: 0}
        states:
          cold:
            entry: {assign: {cools: context.cools + 1}}
            on:
              heat: hot
              break: {actions: {send: {event: boom}}}
              boom: {actions: {assign: {heats: 1 / context.heats}}}
          hot:
            entry: {assign: {heats: context.heats + 1}}
            after: {PT10M: cold}
            on:
              remind: {actions: [{send: {event: ring, delay: PT1H, data: {n: context.heats}}}]}
              ring: {actions: {assign: {heats: event.data.n}}}
        """

    private static let master = Task { try await make() }

    let folder: StoreFolder
    var path: String { folder.path + "/wfd.db" }

    init() async throws {
        let bytes = try await Self.master.value
        folder = try StoreFolder()
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/wfd.db"))
    }

    /// Uses the database that something else wrote in a folder.
    init(in folder: StoreFolder) {
        self.folder = folder
    }

    private static func make() async throws -> Data {
        let folder = try StoreFolder()
        let clock = HandClock()
        let running = try await RunningEngine(store: folder.open(), clock: clock)
        let engine = running.engine
        _ = try await engine.apply(oven, syntax: .yaml)
        try await running.start("long")
        try await running.start("order-7")
        for number in 2...6 {
            clock.advance(1_000)
            _ = try await engine.send(
                SendCommand(
                    instance: "order-7", event: Event(name: "flip", data: ["number": .int(Int64(number))]),
                    key: RequestKey(text: "key-\(number)")))
        }
        for number in 1...3 {
            _ = try await engine.start(
                StartCommand(machine: "oven", instance: "oven-\(number)", key: RequestKey(text: "start-\(number)")))
        }
        func send(_ event: String, to name: String) async throws {
            _ = try await engine.send(SendCommand(instance: name, event: Event(name: event)))
        }
        try await send("heat", to: "oven-1")
        try await send("remind", to: "oven-1")
        try await send("heat", to: "oven-2")
        clock.advance(599_000)
        for _ in 2...301 { _ = try await running.flip("long") }
        clock.advance(2_000)
        try await send("heat", to: "oven-2")
        try await send("break", to: "oven-3")
        try await running.stop()
        return try Data(contentsOf: URL(fileURLWithPath: folder.path + "/wfd.db"))
    }
}

extension WrittenFile {
    /// Returns the position of a row.
    func position(_ instance: String, _ seq: Int64) throws -> Int64 {
        try read { database in
            try Int64.fetchOne(
                database,
                sql: """
                    SELECT position FROM journal JOIN instance ON instance.id = instance_id
                    WHERE name = ? AND journal.seq = ?
                    """, arguments: [instance, seq]) ?? 0
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let connection = try DatabaseQueue(path: path)
        let value = try connection.inDatabase(body)
        try connection.close()
        return value
    }

    /// Runs SQL as a person with a shell would who wants to leave no trace: without triggers, checks and foreign keys,
    /// and with the triggers put back to the letter. `{order-7/5}` stands for the position of a row.
    func forge(_ sql: String) throws {
        var sql = sql
        while let place = sql.firstMatch(of: /\{([a-z0-9-]+)\/(\d+)\}/) {
            let position = try position(String(place.1), Int64(place.2) ?? 0)
            sql.replaceSubrange(place.range, with: "\(position)")
        }
        try read { database in
            let triggers = try Row.fetchAll(
                database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid")
            try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
            try database.execute(sql: sql)
            for trigger in triggers { try database.execute(sql: trigger["sql"]) }
        }
    }

    /// Returns the findings of a verification of everything.
    func findings(limits: EngineLimits = EngineLimits(), store: StoreLimits = StoreLimits()) async throws -> [String] {
        try await verify(nil, limits, store).findings
    }

    /// Returns the findings of a verification and its counts; `nil` if there is no such instance.
    func verify(
        _ instance: String?, _ limits: EngineLimits = EngineLimits(), _ store: StoreLimits = StoreLimits()
    ) async throws -> (findings: [String], counts: VerifiedCounts?) {
        let file = try SQLiteFile.open(at: path, limits: store)
        let findings = Collected<String>()
        let verification = try Verification(of: file, limits: limits)
        let report: Verification.Report = { event in
            if case .inconsistency(let finding) = event { findings.add("\(finding)") }
        }
        let counts =
            if let instance {
                try await verification.run(
                    instance: InstanceKey(InstanceName(rawValue: instance), in: .default), report)
            } else {
                try await verification.run(report)
            }
        try file.close()
        return (findings.all, counts)
    }
}

extension WrittenFile {
    /// The time at which the file was closed.
    static let end: Int64 = 1_700_000_606_000

    /// Limits under which a start does not find damage far back in the file, as in a very large file.
    static var shortLook: StoreLimits {
        var limits = StoreLimits()
        limits.tailRows = 0
        return limits
    }

    /// Opens the file as a daemon does; `nil` if a start refuses it all the same.
    func openToServe() throws -> SQLiteFileStore? {
        do throws(StoreError) {
            return try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: Self.end), limits: Self.shortLook)
        } catch {
            guard error.code == .damaged || error.code == .corrupt else { throw error }
            return nil
        }
    }
}
