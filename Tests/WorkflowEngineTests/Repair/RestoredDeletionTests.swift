import Foundation
import IdentityTesting
import Logging
import SQLiteStore
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that a backup does not bring back instances that somebody has deleted since.
@Suite(.timeLimit(.minutes(20))) struct RestoredDeletionTests {
    private static let door = """
        id: door
        initial: open
        context: {who: null}
        states:
          open: {after: {2h: shut}, on: {name: {actions: {assign: {who: event.data}}}}}
          shut: {type: final}
        """
    /// A text that appears nowhere by chance.
    private let marker = "tok" + UUID().uuidString.replacing("-", with: "")

    /// Returns a file with an instance that a timer shuts, and a backup of it.
    private func bench() async throws -> TaskBench {
        let bench = try await TaskBench(Self.door)
        try await bench.timed.start("door", "d")
        try await bench.timed.send("name", .string(marker), to: "d", key: "name-1")
        try await bench.timed.start("door", "other")
        try await bench.back(up: "backup.db")
        return bench
    }

    @Test func whoWasDeletedStaysSo() async throws {
        let bench = try await bench()
        let before = try await bench.timed.record("d")
        let deletion = try await bench.delete("d", takesUnfinished: true, reason: "GDPR-7", key: "k")
        let report = try await bench.restore("backup.db")
        #expect(report.deleted == 1 && report.keptDeletions == 0)
        #expect(await bench.told { _ = try await bench.engine.instance(named: "d") }.hasPrefix("instanceNotFound"))
        let audit = try #require(try await bench.engine.audits(before: nil, limit: 10, by: .test).only?.audit)
        #expect(audit.uuid == before.uuid && audit.reason == "GDPR-7" && audit.actor == Caller.test.actor)
        #expect(audit.rows == deletion.rows && audit.digest == deletion.digest && audit.at == deletion.at)
        try bench.expectNowhere(marker)
        try await bench.expectWhole()
        // The timer of the deleted instance is gone. That of the other fires.
        try await bench.timed.pass(3 * 3_600_000)
        #expect(try await bench.timed.journal().filter { $0.kind == .timer }.count == 1)
        #expect(try await bench.timed.record("other").status == .done)
        // The name is free, and the same request is answered as before.
        try await bench.timed.start("door", "d")
        #expect(try await bench.delete("d", takesUnfinished: true, reason: "GDPR-7", key: "k").isRepeated)
        #expect(try await bench.timed.record("d").uuid != before.uuid)
        try await bench.expectWhole()
    }

    /// The deletion is repeated by the UUID, never by the name.
    @Test func whoHasTheNameSinceStays() async throws {
        let bench = try await bench()
        try await bench.delete("d", takesUnfinished: true)
        try await bench.timed.start("door", "d")
        let second = try await bench.timed.record("d").uuid
        try await bench.back(up: "later.db")
        let later = try await bench.restore("later.db")
        #expect(later.deleted == 0 && later.keptDeletions == 0)
        #expect(try await bench.timed.record("d").uuid == second)
        // Restoring the earlier backup over the later one works too.
        let report = try await bench.restore("backup.db")
        #expect(report.deleted == 1)
        #expect(await bench.told { _ = try await bench.timed.record("d") } != "none")
        try await bench.expectWhole()
    }

    /// This holds even if a restore in between had nothing to delete: its rows of `audit` are kept for the next one.
    @Test func aRestoreRemembersForTheNextOne() async throws {
        let bench = try await TaskBench(Self.door)
        try await bench.back(up: "empty.db")
        try await bench.timed.start("door", "d")
        try await bench.timed.send("name", .string(marker), to: "d")
        try await bench.back(up: "backup.db")
        for number in 0..<3 {
            try await bench.timed.start("door", "e-\(number)")
            try await bench.delete("e-\(number)", takesUnfinished: true, reason: "\(number)")
        }
        try await bench.delete("d", takesUnfinished: true, reason: "d")
        let empty = try await bench.restore("empty.db")
        #expect(empty.deleted == 0 && empty.keptDeletions == 4)
        try await bench.expectWhole()
        try await bench.timed.start("door", "x")
        try await bench.delete("x", takesUnfinished: true, reason: "x")
        try await bench.expectWhole()
        let report = try await bench.restore("backup.db")
        #expect(report.deleted == 1 && report.keptDeletions == 4)
        let audits = try await bench.engine.audits(before: nil, limit: 10, by: .test)
        #expect(Set(audits.map(\.audit.reason)) == ["0", "1", "2", "d", "x"])
        #expect(zip(audits, audits.dropFirst()).allSatisfy { $0.audit.at >= $1.audit.at })
        try bench.expectNowhere(marker)
        try await bench.expectWhole()
        // A second restore tells nothing twice.
        let again = try await bench.restore("backup.db")
        #expect(again.deleted == 1 && again.keptDeletions == 4)
        #expect(try await bench.engine.audits(before: nil, limit: 10, by: .test).count == 5)
        try await bench.timed.start("door", "y")
        try await bench.expectWhole()
    }

    /// The audit is of an instance whose machine version is younger than the backup.
    @Test func aVersionThatTheBackupDoesNotHaveIsNotNamed() async throws {
        let bench = try await bench()
        _ = try await bench.engine.apply(Self.door + "\n", syntax: .yaml)
        try await bench.timed.start("door", "new")
        let deletion = try await bench.delete("new", takesUnfinished: true, reason: "new", key: "k")
        #expect(try await bench.restore("backup.db").keptDeletions == 1)
        let only = try #require(try await bench.engine.audits(before: nil, limit: 10, by: .test).only)
        #expect(only.audit.reason == "new" && only.machine == nil)
        // The answer that is given again has no machine either.
        let again = try await bench.delete("new", takesUnfinished: true, reason: "new", key: "k")
        #expect(again.isRepeated && again.machine == nil && again.uuid == deletion.uuid && again.at == deletion.at)
        try await bench.expectWhole()
    }

    /// A redaction of a part of a row is carried out again, too.
    @Test func aPartOfARowGoesAgain() async throws {
        let bench = try await TaskBench(Self.door)
        try await bench.timed.start("door", "d")
        try await bench.timed.send("name", ["n": "Bo", "phone": .string(marker)], to: "d")
        try await bench.back(up: "backup.db")
        _ = try await bench.engine.redact(
            RedactCommand(
                instance: "d", seqs: SeqSet("2"), paths: ["who"], dataPaths: ["data.phone"], reason: "r", by: .test))
        for _ in 1...2 {
            #expect(try await bench.restore("backup.db").erasures == 1)
            let rows = try await bench.timed.rows("d")
            #expect(rows.map(\.isRedacted) == [false, true, false])
            #expect(rows.last?.redaction?.left == ["2": ["n": "Bo"]])
            try bench.expectNowhere(marker)
            try await bench.expectWhole()
        }
    }

    /// The rows are taken from a named file if the present one is lost.
    @Test func anotherFileSaysWhoWasDeleted() async throws {
        let bench = try await bench()
        try await bench.delete("d", takesUnfinished: true, reason: "GDPR-7")
        try await bench.back(up: "last.db")
        try await bench.timed.stop()
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.timed.folder.path)
        where name.hasPrefix("wfd.db") { try FileManager.default.removeItem(atPath: bench.path(name)) }
        try await bench.timed.reopen()
        let report = try await bench.restore("backup.db", erasures: "last.db")
        #expect(report.deleted == 1 && report.isOfAnotherStore)
        #expect(try await bench.engine.audits(before: nil, limit: 10, by: .test).map(\.audit.reason) == ["GDPR-7"])
        try bench.expectNowhere(marker)
        try await bench.expectWhole()
    }
}

extension TaskBench {
    fileprivate func path(_ name: String) -> String { timed.folder.path + "/" + name }

    /// Copies the file while nothing uses it.
    fileprivate func back(up name: String) async throws {
        try await timed.stop()
        try FileManager.default.copyItem(atPath: path("wfd.db"), toPath: path(name))
        try await timed.reopen()
    }

    /// Replaces the file with a backup, as `wfd restore` does.
    fileprivate func restore(_ backup: String, erasures: String? = nil) async throws -> RestoreReport {
        try await timed.stop()
        let restoration = StoreRestoration(
            backup: path(backup), database: path("wfd.db"), erasures: erasures.map(path),
            verify: { try await Verification(of: $0).requireNone { _ in } })
        let report = try await restoration.run(clock: timed.clock.now())
        let store = try SQLiteFileStore.open(at: path("wfd.db"), clock: report.time, holds: true)
        _ = try await StandingErasures.carryOut(
            in: store, at: report.time, sweeps: true, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for name in try FileManager.default.contentsOfDirectory(atPath: timed.folder.path)
        where name.contains("replaced") { try FileManager.default.removeItem(atPath: path(name)) }
        try await timed.reopen()
        return report
    }

    /// Expects that the file and its log do not have a text.
    fileprivate func expectNowhere(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in ["wfd.db", "wfd.db-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: path(name)))
            #expect(bytes.range(of: Data(text.utf8)) == nil, "\(name)", sourceLocation: sourceLocation)
        }
    }
}

extension Collection {
    /// The only element; `nil` if there are several, or none.
    fileprivate var only: Element? { count == 1 ? first : nil }
}
