import Foundation
import GRDB
import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests redactions of a part of a row, whose rest is kept, and repeated requests by a former name.
@Suite(.timeLimit(.minutes(20))) struct RedactedPartTests {
    private static let claim = """
        id: claim
        initial: open
        context: {seen: {}}
        states:
          open: {on: {see: {actions: {assign: {seen: event.data}}}, add: {}}}
        """
    /// A text that appears nowhere by chance.
    private let marker = "tok" + UUID().uuidString.replacing("-", with: "")

    private func bench() async throws -> TaskBench {
        let bench = try await TaskBench(Self.claim)
        try await bench.timed.start("claim", "c")
        return bench
    }

    @Test func aPathOfTheDataOfARowGoes() async throws {
        let bench = try await bench()
        try await bench.timed.send("see", ["phone": .string(marker), "name": "Ann"], to: "c")
        try await bench.timed.send("see", ["list": ["a", .string(marker)]], to: "c", key: "see-3")
        try await bench.timed.send("see", ["b": 1], to: "c")
        let before = try await bench.timed.rows("c").map(\.digest)
        let trial = try await bench.redact("c", seqs: "2", dataPaths: ["data.phone"], isDryRun: true)
        #expect(trial.redaction.left == ["2": ["name": "Ann"]] && trial.redaction.dataPaths == ["data.phone"])
        try await bench.redact("c", seqs: "2", dataPaths: ["data.phone"], key: "k")
        try await bench.redact("c", seqs: "3", dataPaths: ["data.list[1]"])
        #expect(try bench.count(of: marker) == 0)
        let rows = try await bench.timed.rows("c")
        #expect(rows.prefix(4).map(\.digest) == before)
        #expect(rows.map(\.isRedacted) == [false, true, true, false, false, false])
        #expect(rows[4].data == #"{"data":["data.phone"],"left":{"2":{"name":"Ann"}},"seqs":"2"}"#)
        #expect(rows[5].data == #"{"data":["data.list[1]"],"left":{"3":{"list":["a",null]}},"seqs":"3"}"#)
        #expect(try await bench.timed.record("c").state.context.contains(#""seen":{"b":1}"#), "the context stays")
        try await bench.expectErased("c", gaps: "2-6")
        #expect(try await bench.redact("c", seqs: "2", dataPaths: ["data.phone"], key: "k").isRepeated)
        // The rest of its data stands in the row of the redaction, and is erased only with that.
        #expect(
            await bench.rejection { () async throws(Rejection) in try await bench.redact("c", seqs: "2") }?.message
                == "Seq 5 (redact) holds what was left of seq 2 of 'c': name it too, as in '2,5'")
        try await bench.redact("c", seqs: "2,5")
        #expect(try bench.count(of: "Ann") == 0)
        try await bench.expectErased("c", gaps: "2-7")
        try await bench.timed.send("add", 1, to: "c")
        try await bench.timed.restart()
        try await bench.expectErased("c", gaps: "2-7")
    }

    @Test(arguments: [
        ("1", "data.who", "c: seq 1 has no data"), ("3", "data.a", "c: seq 3 was redacted already; where"),
        ("2", "data.b", "c, seq 2: "), ("2", "data", "c, seq 2: 'data' is no path into the data of an event"),
    ])
    func aPartThatIsNotThereIsSaid(seqs: String, path: String, message: String) async throws {
        let bench = try await bench()
        for _ in 2...3 { try await bench.timed.send("see", ["a": 1], to: "c") }
        try await bench.redact("c", seqs: "3")
        let told = await bench.rejection { () async throws(Rejection) in
            try await bench.redact("c", seqs: seqs, dataPaths: [path])
        }
        #expect(told?.message.hasPrefix(message) == true, "\(told?.message ?? "none")")
        #expect(try await bench.timed.record("c").seq.rawValue == 4)
    }

    /// A caller that did not get the answer knows only the old name.
    @Test func aRenamingIsRepeatedByTheOldName() async throws {
        let bench = try await bench()
        let answer = try await bench.redact("c", seqs: "1", rename: "d", key: "k")
        for isTaken in [false, true] {
            if isTaken { try await bench.timed.start("claim", "c") }
            let again = try await bench.redact("c", seqs: "1", rename: "d", key: "k")
            #expect(again.isRepeated && again.instance == "d" && again.seq == answer.seq)
        }
        #expect(
            await bench.rejection { () async throws(Rejection) in
                try await bench.redact("c", seqs: "1", rename: "d", reason: "other", key: "k")
            }?.code == .keyReused)
        #expect(
            await bench.rejection { () async throws(Rejection) in
                try await bench.redact("c", seqs: "1", rename: "d", key: "other")
            }?.code == .instanceExists)
        #expect(
            await bench.rejection { () async throws(Rejection) in
                try await bench.redact("e", seqs: "1", rename: "d", key: "other")
            }?.code == .instanceNotFound)
        #expect(try await bench.timed.record("d").seq == answer.seq)
    }
}

extension TaskBench {
    @discardableResult
    fileprivate func redact(
        _ name: String, seqs: String, dataPaths: [String] = [], rename: InstanceName? = nil, reason: String = "r",
        isDryRun: Bool = false, key: String? = nil
    ) async throws(Rejection) -> RedactResult {
        try await engine.redact(
            RedactCommand(
                instance: InstanceName(rawValue: name), seqs: SeqSet(seqs), dataPaths: dataPaths, newName: rename,
                reason: reason, isDryRun: isDryRun, key: key.flatMap(RequestKey.init(text:)), by: .test))
    }

    /// Returns the message of a rejection; `nil` for success.
    fileprivate func rejection(of body: () async throws(Rejection) -> RedactResult) async -> Rejection? {
        do throws(Rejection) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Returns the number of values in the journal, the instances and the snapshots that contain a text.
    fileprivate func count(of text: String) throws -> Int {
        let file = try DatabaseQueue(path: timed.folder.path + "/wfd.db")
        defer { try? file.close() }
        let sql = """
            SELECT (SELECT count(*) FROM journal WHERE instr(data, ?1) > 0)
                + (SELECT count(*) FROM instance WHERE instr(context, ?1) > 0)
                + (SELECT count(*) FROM snapshot WHERE instr(context, ?1) > 0)
            """
        return try file.inDatabase { try Int.fetchOne($0, sql: sql, arguments: [text]) ?? 0 }
    }
}
