import Foundation
import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests rows without content, which cannot be compared: only rows that an erasure names may look redacted.
@Suite(.timeLimit(.minutes(20))) struct ErasedVerificationTests {
    /// Gives a row the look of a redacted one, as a person does who knows how digests are made.
    private func forgeRedaction(of seq: Int64, in file: WrittenFile, _ name: InstanceName = "order-7") async throws {
        let opened = try SQLiteFile.open(at: file.path)
        let record = try #require(try await opened.instance(InstanceKey(name, in: .default)))
        let position = Position(rawValue: try file.position(name.rawValue, seq))
        let row = try #require(try await opened.row(at: position))
        try opened.close()
        var digests = DigestBuffer()
        let found = digests.commitment(row, ChainInstance(record))
        let commitment = try #require(found)
        try file.forge(
            "UPDATE journal SET salt = X'', note = NULL, data = '\"\(commitment.text)\"' WHERE position = "
                + "\(position.rawValue)")
    }

    @Test func aRowThatIsMadeToLookRedactedIsFound() async throws {
        let file = try await WrittenFile()
        try await forgeRedaction(of: 3, in: file)
        #expect(try await file.findings() == ["order-7, seq 3: the row is redacted, and no erasure names it"])
        #expect(
            try await file.verify("order-7").findings
                == ["order-7, seq 3: the row is redacted, and no erasure names it"])
        // The finding stays when the context is changed, which the false redaction was to hide.
        try file.forge("UPDATE instance SET context = '{\"lit\":false}' WHERE name = 'order-7'")
        #expect(try await file.findings().count == 1)
    }

    /// Even with an erasure, a row of kind `redacted` is needed to show how the instance continues.
    @Test func anErasureWithoutItsRowHidesNothing() async throws {
        let file = try await WrittenFile()
        try await forgeRedaction(of: 3, in: file)
        try file.forge(
            """
            INSERT INTO erasure (id, instance_id, uuid, seqs, at_ms)
            SELECT {order-7/6}, id, uuid, '3', updated_ms FROM instance WHERE name = 'order-7'
            """)
        #expect(
            try await file.findings()
                == ["order-7, seq 6: no row after those that are redacted says what the instance is"])
    }

    @Test func aSnapshotThatIsEmptiedByNobodyIsFound() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE snapshot SET context = '{}', salt = NULL")
        #expect(
            try await file.findings() == ["long, seq 256: the snapshot is emptied, and no erasure asks for it"])
        try file.forge("UPDATE snapshot SET context = '{\"lit\":true}'")
        #expect(try await file.findings() == ["long, seq 256: the snapshot is emptied, and says something"])
    }

    /// Returns a file in which `c` was redacted: its rows 2 and 3, and later its row 5 with another name.
    private func redacted() async throws -> WrittenFile {
        let bench = try await TaskBench(UnitMachine.text)
        try await bench.timed.start("unit", "c")
        func put(_ name: String) async throws {
            try await bench.timed.send("put", ["who": "Ann"], to: name)
        }
        func redact(_ name: InstanceName, _ seqs: String, rename: InstanceName? = nil) async throws {
            try await bench.timed.pass(1_000)
            _ = try await bench.engine.redact(
                RedactCommand(
                    instance: name, seqs: SeqSet(seqs), paths: ["who"], newName: rename, reason: "r", by: .test))
        }
        try await put("c")
        try await put("c")
        try await redact("c", "2-3")
        try await put("c")
        try await redact("c", "5", rename: "d")
        try await put("d")
        try await bench.timed.stop()
        return WrittenFile(in: bench.timed.folder)
    }

    @Test(arguments: [
        ("UPDATE instance SET context = replace(context, 'Ann', 'Bob')", "the instance's context is not what"),
        ("UPDATE instance SET name = 'e' WHERE name = 'd'", "the instance's name is not the one that an erasure"),
        ("DELETE FROM erasure WHERE id = {d/4}", "seq 4: there is no erasure for the row"),
        ("DELETE FROM erasure WHERE id = {d/6}", "seq 6: there is no erasure for the row"),
        ("UPDATE erasure SET seqs = '2' WHERE id = {d/4}", "seq 4: its erasure is not what the row says"),
        ("UPDATE erasure SET seqs = '2-4' WHERE id = {d/6}", "seq 4: the row was to be redacted, and is not"),
        ("UPDATE erasure SET seqs = '1-3' WHERE id = {d/4}", "its erasure is not what the row says"),
        ("UPDATE erasure SET paths = '[]' WHERE id = {d/4}", "its erasure is not what the row says"),
        ("UPDATE erasure SET paths = NULL WHERE id = {d/6}", "its erasure is not what the row says"),
        ("UPDATE erasure SET name = 'f' WHERE id = {d/6}", "the instance's name is not the one that an erasure"),
        ("UPDATE erasure SET name = 'f' WHERE id = {d/4}", "its erasure is not what the row says"),
        ("UPDATE erasure SET at_ms = at_ms + 1 WHERE id = {d/4}", "its erasure is not what the row says"),
        ("UPDATE erasure SET id = -id WHERE id = {d/4}", "seq 4: there is no erasure for the row"),
        ("UPDATE erasure SET instance_id = 0 WHERE id = {d/4}", "seq 4: there is no erasure for the row"),
        ("UPDATE erasure SET top = 4 WHERE id = {d/4}", "an erasure does not say how far it is"),
        ("UPDATE instance SET salt_from = 2 WHERE name = 'd'", "the instance has kept its salt"),
        (
            "UPDATE snapshot SET context = '{}', armed = '[]', salt = NULL WHERE seq = 6",
            "seq 6: the snapshot is emptied, and no erasure asks for it"
        ),
    ])
    func whatIsChangedOfWhatWasErasedIsFound(sql: String, finding: String) async throws {
        let file = try await redacted()
        #expect(try await file.findings() == [])
        try file.forge(sql)
        let findings = try await file.findings()
        #expect(findings.contains { $0.contains(finding) }, "\(findings)")
    }
}
