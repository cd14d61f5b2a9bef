import Foundation
import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests that every change of a file behind the daemon's back is found and named.
@Suite struct TamperingTests {
    @Test(arguments: Tampering.journal + Tampering.others)
    func isFound(_ tampering: Tampering) async throws {
        let file = try await WrittenFile()
        try file.forge(tampering.sql)
        let findings = try await file.findings()
        #expect(findings == tampering.findings)
    }

    /// Each pass covers one instance, and each slice a few rows.
    @Test(arguments: sample(Tampering.journal, every: 4))
    func isFoundInSmallPasses(_ tampering: Tampering) async throws {
        let file = try await WrittenFile()
        try file.forge(tampering.sql)
        var limits = EngineLimits()
        limits.verifiedInstances = 1
        var store = StoreLimits()
        store.sliceRows = 3
        let findings = try await file.findings(limits: limits, store: store)
        #expect(findings.sorted() == tampering.findings.sorted())
    }

    /// The search follows the chain, or the whole journal if the chain is broken.
    @Test(arguments: sample((Tampering.journal + Tampering.others).filter { !$0.hidesTheInstance }, every: 4))
    func isFoundInTheInstanceAlone(_ tampering: Tampering) async throws {
        let file = try await WrittenFile()
        try file.forge(tampering.sql)
        for name in ["long", "order-7", "oven-1", "oven-2"] {
            let (findings, counts) = try await file.verify(name)
            guard counts != nil else { continue }
            #expect(findings == tampering.findings(inTheChainOf: name))
        }
    }

    @Test func anInstanceThatCannotBeReadIsFound() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE instance SET status = 'dome' WHERE name = 'order-7'")
        #expect(
            try await file.verify("order-7").findings == [
                "order-7: Cannot read '\(file.path)': the column 'status' of its table 'instance' holds a value, which "
                    + "no wfd writes; restore a backup"
            ])
    }

    /// A person who changes a row and computes all digests again cannot make the step lead elsewhere.
    @Test func aHistoryThatWasHashedAnewIsFound() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE journal SET event = 'off' WHERE position = {order-7/4}")
        try file.hashAnew("order-7")
        #expect(
            try await file.findings() == [
                "order-7, seq 4: 'off' is recorded, but the machine refuses it"
            ])
    }

    /// The message of a note may differ between releases, what failed may not.
    @Test(
        arguments: [
            (
                "division by zero", "division by nought",
                ["oven-3, seq 3: the instance's failure is not that of its last row"]
            ),
            ("context.heats", "context.cools", ["oven-3, seq 3: the row's note is not what the step says"]),
            (#""line":"#, #""line":1"#, ["oven-3, seq 3: the row's note is not what the step says"]),
            (#""state":"cold""#, #""state":"hot""#, ["oven-3, seq 3: the row's note is not what the step says"]),
            ("livelock", "livelock", []),
        ])
    func aNoteThatWasHashedAnewIsFound(was: String, becomes: String, finds: [String]) async throws {
        let file = try await WrittenFile()
        try file.forge(
            "UPDATE journal SET note = replace(note, '\(was)', '\(becomes)') WHERE position = {oven-3/3}")
        try file.hashAnew("oven-3")
        #expect(try await file.findings() == finds)
    }

    @Test func findingsAreBoundedAndAllAreCounted() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE instance SET updated_ms = 1")
        var limits = EngineLimits()
        limits.toldInconsistencies = 2
        let (findings, counts) = try await file.verify(nil, limits)
        #expect(findings.count == 2)
        #expect(counts?.differences == 5)
    }
}

/// Tests machine versions that no row refers to.
@Suite struct UnusedMachineTests {
    private static let unnamed = "a change names a machine or a version that is not there"

    /// Returns a file in which the third of three versions has no instance, and a fourth machine has none either.
    private func file() async throws -> WrittenFile {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        try await running.start("lamp-1")
        for source in [WrittenFile.oven, WrittenFile.oven + "\n", WrittenFile.oven.replacing("oven", with: "grill")] {
            _ = try await running.engine.apply(source, syntax: .yaml)
        }
        try await running.stop()
        return WrittenFile(in: folder)
    }

    @Test(arguments: [
        (
            "UPDATE machine SET name = 'owen' WHERE id = 3",
            ["machine 'owen', version 2: its row is not what was written", "position 4: \(unnamed)"]
        ),
        (
            "UPDATE machine SET version = 9 WHERE id = 3",
            ["machine 'oven', version 9: its row is not what was written", "position 4: \(unnamed)"]
        ),
        (
            "UPDATE machine SET created_ms = 7 WHERE id = 4",
            ["machine 'grill', version 1: its row is not what was written"]
        ),
        ("DELETE FROM machine WHERE id = 3", ["machine 3 is missing", "position 4: \(unnamed)"]),
        (
            "DELETE FROM machine WHERE id = 4",
            ["the store's next machine number is 5, but the last one there is 3", "position 5: \(unnamed)"]
        ),
    ])
    func isCovered(sql: String, findings: [String]) async throws {
        let file = try await file()
        #expect(try await file.findings() == [])
        try file.forge(sql)
        #expect(try await file.findings() == findings)
    }
}

extension WrittenFile {
    /// Computes the seals of a machine's versions again, from their present rows.
    func sealAnew(_ name: String) throws {
        let rows = try read { try Row.fetchAll($0, sql: "SELECT * FROM machine WHERE name = ?", arguments: [name]) }
        for row in rows {
            let record = MachineRecord(
                id: MachineID(rawValue: row["id"]), namespace: .default, name: MachineName(rawValue: name),
                version: MachineVersion(rawValue: row["version"]),
                digest: Digest(bytes: Self.bytes(row["digest"]) ?? []), semantics: row["semantics"],
                source: row["source"], created: Timestamp(rawValue: row["created_ms"]))
            try forge("UPDATE machine SET seal = X'\(Digest(sealing: record).text)' WHERE id = \(record.id.rawValue)")
        }
    }

    /// Computes the digests of an instance's rows again, from its present rows.
    func hashAnew(_ name: String, semantics: Int64? = nil) throws {
        let (chain, machine, rows) = try read { database in
            let instance = try Row.fetchOne(
                database,
                sql: """
                    SELECT instance.id, uuid, salt, machine.digest, machine.name, version, semantics
                    FROM instance JOIN machine ON machine.id = machine_id
                    WHERE instance.name = ?
                    """, arguments: [name])
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM journal WHERE instance_id = ? ORDER BY seq",
                arguments: [instance?["id"] as Int64?])
            return (
                ChainInstance(
                    uuid: UniqueID(bytes: Self.bytes(instance?["uuid"]) ?? []), name: InstanceName(rawValue: name),
                    salt: Salt(bytes: Self.bytes(instance?["salt"]) ?? [])),
                ChainMachine(
                    name: MachineName(rawValue: instance?["name"] ?? ""),
                    version: MachineVersion(rawValue: instance?["version"] ?? 0),
                    digest: Digest(bytes: Self.bytes(instance?["digest"]) ?? []),
                    semantics: semantics ?? instance?["semantics"] ?? 0), rows
            )
        }
        var digests = DigestBuffer()
        var previous: Digest?
        var sql = ""
        for row in rows {
            let record = JournalRecord(
                position: Position(rawValue: row["position"]), instanceID: InstanceID(rawValue: row["instance_id"]),
                machineID: MachineID(rawValue: row["machine_id"]), seq: Seq(rawValue: row["seq"]), previous: nil,
                at: Timestamp(rawValue: row["at_ms"]), real: (row["real_ms"] as Int64?).map(Timestamp.init),
                kind: JournalKind(rawValue: row["kind"]) ?? .event, event: row["event"], data: row["data"],
                from: row["from_state"], to: row["to_state"],
                actor: (row["actor"] as String?).map(Actor.init(rawValue:)), key: Self.bytes(row["key"]),
                note: row["note"], digest: .zero)
            let digest = digests.digest(
                row: record, previous: previous, instance: chain, machine: machine, snapshot: nil)
            sql += "UPDATE journal SET digest = X'\(digest.text)' WHERE position = \(record.position.rawValue);"
            previous = digest
        }
        sql += "UPDATE instance SET digest = X'\(previous?.text ?? "")' WHERE name = '\(name)'"
        try forge(sql)
    }

    private static func bytes(_ data: Data?) -> [UInt8]? { data.map { Array($0) } }
}
