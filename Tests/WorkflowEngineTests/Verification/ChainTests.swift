import Foundation
import GRDB
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the engine's rows with a reader that knows only docs/digests.md.
@Suite struct ChainTests {
    private static let kettle = """
        id: kettle
        initial: cold
        context: {heats: 0}
        states:
          cold:
            on:
              heat: hot
              whistle: {actions: {send: {event: steam, data: {by: "'whistle'"}}}}
              steam: {actions: {assign: {heats: context.heats + 1}}}
              break: {actions: {send: {event: boom}}}
              boom: {actions: {assign: {heats: "1 / (event.at < timestamp('2023-11-14T22:30:00Z') ? 0 : 1)"}}}
          hot:
            after: {PT10M: cold}
        """

    /// Returns a file with every kind of row, with and without data, with keys of both kinds.
    private func file() async throws -> WrittenFile {
        let folder = try StoreFolder()
        let clock = HandClock()
        let running = try await RunningEngine(store: folder.open(), clock: clock)
        let engine = running.engine
        _ = try await engine.apply(Self.kettle, syntax: .yaml)
        _ = try await engine.start(
            StartCommand(machine: "kettle", instance: "pot", key: RequestKey(text: "the first")))
        func send(_ event: Event, key: String? = nil) async throws {
            _ = try await engine.send(
                SendCommand(instance: "pot", event: event, key: key.flatMap(RequestKey.init(text:))))
        }
        try await send(Event(name: "heat"), key: "018bcfe5-687b-7000-8000-00000000002a")
        clock.advance(602_000)
        try await send(Event(name: "whistle", data: ["card": "tok_9"]), key: "a key of text")
        try await send(Event(name: "break", data: ["card": "tok_9"]))
        clock.advance(1_000_000)
        _ = try await engine.repair(RepairCommand(instance: "pot", .retry))
        for number in 1...260 { try await send(Event(name: "steam", data: number % 2 == 0 ? [:] : nil)) }
        try await running.stop()
        return WrittenFile(in: folder)
    }

    @Test func everyDigestIsThatOfThePage() async throws {
        let file = try await file()
        let chain = try file.read { try ForeignChain($0) }
        #expect(chain.kinds == ["started", "event", "timer", "sent", "failed", "retried"])
        #expect(chain.mistakes() == [])
        #expect(chain.derivesItsSnapshots)
        try file.forge("UPDATE journal SET data = replace(data, '9', '8') WHERE kind = 'event'")
        #expect(try file.read { try ForeignChain($0) }.mistakes() == ["pot 4 event", "pot 6 event"])
    }

    /// Two instances with the same history share no digest, so nobody learns from one about the data of the other.
    @Test func saltsAreOfTheirInstance() async throws {
        let file = try await WrittenFile()
        let salts = try file.read { try Set(Data.fetchAll($0, sql: "SELECT salt FROM instance")) }
        #expect(salts.count == 5)
        #expect(salts.allSatisfy { $0.count == 16 })
    }

    /// `entered_ms` stays the same as long as the configuration does.
    @Test func enteredIsWhenTheConfigurationWasReached() async throws {
        let file = try await file()
        let entered = try file.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT entered_ms, (SELECT at_ms FROM journal WHERE kind = 'timer') AS timer, updated_ms
                    FROM instance WHERE name = 'pot'
                    """)
        }
        #expect(entered?["entered_ms"] as Int64? == entered?["timer"] as Int64?)
        #expect(entered?["entered_ms"] as Int64? ?? 0 < entered?["updated_ms"] as Int64? ?? 0)
    }
}

/// Tests redacted rows: the chain is intact, and folding reports where it ends.
@Suite struct RedactionTests {
    /// Redacts rows by a person's request.
    private func redact(_ seqs: String, of name: String, in file: WrittenFile) async throws {
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(WrittenFile.end))
        _ = try await running.engine.redact(
            RedactCommand(
                instance: InstanceName(rawValue: name), seqs: SeqSet(seqs), reason: "r", by: .test))
        try await running.stop()
    }

    /// Redacts rows without recording it.
    private func empty(_ seqs: Set<Int64>, of name: String, in file: WrittenFile) throws {
        let sql = try file.read { try ForeignChain($0) }.redacting(seqs, of: name)
        // The schema's triggers and checks are in force here.
        try file.read { try $0.execute(sql: sql) }
    }

    @Test(arguments: ["order-7", "oven-1", "oven-3", "long"])
    func aRedactedRowVerifies(name: String) async throws {
        let file = try await WrittenFile()
        let secret = #"{"number":3}"#
        #expect(try file.contains(secret))
        try await redact(name == "order-7" ? "1,3,6" : "1,3", of: name, in: file)
        let (findings, counts) = try await file.verify(nil)
        #expect(findings == [])
        #expect(counts?.chainOnly == 1)
        #expect(counts?.description.contains("(1 instance: chain checked, not refolded): no difference") == true)
        #expect(try await file.verify(name).findings == [])
        #expect(try file.read { try ForeignChain($0) }.mistakes() == [])
        #expect(try file.contains(secret) == (name != "order-7"))
    }

    /// Before the instance's salt is renewed, rows have kept salts, derived ones, and none.
    @Test func theChainHoldsWhileARedactionIsUnderWay() async throws {
        let file = try await WrittenFile()
        try empty([3], of: "order-7", in: file)
        let unrecorded = ["order-7, seq 3: the row is redacted, and no erasure names it"]
        #expect(try await file.findings() == unrecorded)
        #expect(try file.read { try ForeignChain($0) }.mistakes() == [])
        try file.forge("UPDATE instance SET salt = randomblob(16) WHERE name = 'order-7'")
        #expect(try await file.findings() == unrecorded)
        #expect(try file.read { try ForeignChain($0) }.mistakes() == [])
        try file.forge("UPDATE journal SET salt = NULL WHERE position = {order-7/4}")
        #expect(try await file.findings() == ["order-7, seq 4: the digest does not fit what the row says"])
    }

    @Test func theInstanceGoesOn() async throws {
        let file = try await WrittenFile()
        try await redact("1-6", of: "order-7", in: file)
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(1_800_000_000_000))
        for number in 1...3 { _ = try await running.flip("order-7", data: ["number": .int(Int64(number))]) }
        try await running.stop()
        #expect(try await file.findings() == [])
        #expect(try file.read { try ForeignChain($0) }.mistakes() == [])
        let kept = try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal WHERE length(salt) = 0") }
        #expect(kept == 6)
    }

    @Test func foldingSaysWhatItCannotTake() async throws {
        let file = try await WrittenFile()
        try empty([3], of: "order-7", in: file)
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(1_800_000_000_000))
        let record = try await running.engine.instance(named: "order-7").record
        let known = Collected<Int64>()
        let gone = Collected<Int64>()
        try await running.engine.replay(record, in: Seq(rawValue: 1)...record.seq, isTracing: false, by: .test) {
            step in
            (step.snapshot == nil ? gone : known).add(step.row.seq.rawValue)
        }
        #expect(known.all == [1, 2])
        #expect(gone.all == Array(3...record.seq.rawValue))
        let rejection = await #expect(throws: Rejection.self) {
            try await running.engine.instance(named: "order-7", after: Seq(rawValue: 4))
        }
        #expect(rejection?.code == .redacted)
        try await running.stop()
    }

    /// The content of a snapshot is gone, and the digest of its row still covers the snapshot's digest.
    @Test func theChainHoldsWithAnEmptiedSnapshot() async throws {
        let file = try await WrittenFile()
        let empty = """
            UPDATE snapshot SET context = '{}', memory = '{}', armed = '[]', output = NULL, salt = NULL
            """
        try file.read { try $0.execute(sql: empty) }
        #expect(
            try await file.findings() == ["long, seq 256: the snapshot is emptied, and no erasure asks for it"])
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(1_800_000_000_000))
        let past = try await running.engine.instance(named: "long", after: Seq(rawValue: 300))
        #expect(past?.record.state.configuration == "on")
        try await running.stop()
        try file.forge("UPDATE snapshot SET digest = zeroblob(32)")
        #expect(try await file.findings() == ["long, seq 256: the digest does not fit what the row says"])
    }
}

extension WrittenFile {
    /// Returns true if a text is in the data of a row.
    fileprivate func contains(_ text: String) throws -> Bool {
        try read { database in
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM journal WHERE instr(data, ?))", arguments: [text]) ?? false
        }
    }
}
