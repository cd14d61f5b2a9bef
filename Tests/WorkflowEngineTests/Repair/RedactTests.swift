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

/// Tests redactions: erased data is gone, the rest can be verified, and a caller that asks for erased data is told so.
@Suite(.timeLimit(.minutes(20))) struct RedactTests {
    private static let claim = """
        id: claim
        initial: open
        context: {who: null, total: 0, seen: {}, notes: []}
        states:
          open:
            on:
              name: {actions: {assign: {who: event.data.who}}}
              add: {actions: {assign: {total: context.total + 1, notes: "context.notes + [event.data]"}}}
              see: {actions: {assign: {seen: event.data}}}
              later: {actions: {send: {event: came, data: event.data, delay: 1h}}}
              came: {actions: {assign: {who: event.data}}}
              fail: {actions: {send: worse}}
              worse: {actions: {assign: {total: 1 / 0}}}
              end: closed
          closed: {type: final, output: {who: context.who}}
        """
    /// A text that appears nowhere by chance.
    private let marker = "tok" + UUID().uuidString.replacing("-", with: "")

    private static func bench(limits: EngineLimits = EngineLimits()) async throws -> TaskBench {
        let bench = try await TaskBench(claim, limits: limits)
        try await bench.timed.start("claim", "c")
        return bench
    }

    // MARK: A finished instance

    @Test func whatAFinishedInstanceSaidIsGone() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("name", ["who": .string(marker)], to: "c", key: marker)
        try await bench.timed.send("end", to: "c")
        let before = try await bench.timed.rows("c").map(\.digest)
        let trial = try await bench.redact("c", isDryRun: true)
        #expect(trial.redaction == Redaction(seqs: SeqSet([1...3]), isWhole: true) && trial.seq.rawValue == 4)
        #expect(try await bench.timed.record("c").seq.rawValue == 3)
        let answer = try await bench.redact("c", reason: "GDPR-7", key: "k")
        #expect(answer.seq.rawValue == 4 && answer.status == .done && answer.configuration == ["closed"])
        let record = try await bench.timed.record("c")
        #expect(record.state.context == "{}" && record.state.output == nil && record.saltFrom.rawValue == 5)
        let rows = try await bench.timed.rows("c")
        #expect(rows.prefix(3).map(\.digest) == before)
        // In a row without data, there is nothing to erase.
        #expect(rows.map(\.isRedacted) == [true, true, false, false])
        #expect(rows[3].kind == .redacted && rows[3].note == #"{"reason":"GDPR-7"}"#)
        #expect(rows[3].data == #"{"context":true,"seqs":"1-3"}"#)
        #expect(try bench.count(of: marker) == 1, "the key is remembered until its time is over")
        #expect(try bench.log.isEmpty)
        try await bench.expectErased("c", gaps: "1-4")
        // The same again is the same answer; what was asked for with a key that is redacted is gone.
        #expect(try await bench.redact("c", reason: "GDPR-7", key: "k").isRepeated)
        #expect(
            await bench.told { () throws(Rejection) in try await bench.redact("c", reason: "x", key: "k") }
                == "key-reused")
        #expect(
            await bench.told { () throws(Rejection) in
                try await bench.timed.send("name", ["who": .string(marker)], to: "c", key: marker)
            } == "redacted")
        #expect(
            await bench.told { () throws(Rejection) in
                try await bench.engine.instance(named: "c", after: Seq(rawValue: 2))
            } == "redacted")
        try await bench.timed.restart()
        try await bench.expectErased("c", gaps: "1-4")
    }

    @Test func aTextKeyGoesWhenItIsRememberedNoMore() async throws {
        var limits = EngineLimits()
        limits.keyAge = 60_000
        let bench = try await Self.bench(limits: limits)
        try await bench.timed.send("name", ["who": 1], to: "c", key: marker)
        try await bench.redact("c")
        #expect(try bench.count(of: marker) == 1)
        try await bench.timed.pass(120_000)
        for _ in 1...3 { try await bench.timed.start("claim") }
        #expect(try bench.count(of: marker) == 0)
        try await bench.expectWhole()
    }

    // MARK: One that goes on

    @Test func anInstanceGoesOnWithoutWhatWasErased() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("name", ["who": .string(marker)], to: "c")
        try await bench.timed.send("see", ["a": .string(marker), "b": 1], to: "c")
        try await bench.timed.send("add", 7, to: "c")
        try await bench.timed.send("later", .string(marker), to: "c")
        #expect(try await bench.redact("c", paths: ["who"], isDryRun: true).emptied == ["came"])
        #expect(try await bench.redact("c", seqs: "2", isDryRun: true).emptied == [])
        try await bench.redact("c", paths: ["who", "seen.a", "notes[0]"])
        let record = try await bench.timed.record("c")
        #expect(record.state.context == #"{"notes":[null],"seen":{"b":1},"total":1,"who":null}"#)
        #expect(!record.state.armed.contains(marker), "what it sent itself is of an erased row")
        #expect(try bench.count(of: marker) == 0)
        try await bench.expectErased("c", gaps: "1-6")
        try await bench.timed.send("add", 8, to: "c")
        try await bench.timed.pass(7_200_000)
        let rows = try await bench.timed.rows("c")
        #expect(rows.last?.event == "came" && rows.last?.data == nil)
        try await bench.expectErased("c", gaps: "1-6")
        #expect(
            try await bench.engine.instance(named: "c", after: Seq(rawValue: 7))?.record.state.context
                == #"{"notes":[null,8],"seen":{"b":1},"total":2,"who":null}"#)
        let verdict = try await bench.engine.backtest(
            bench.timed.record("c"),
            with: bench.engine.loadedMachine(bench.timed.record("c").machineID).machine, by: .test
        ) { _ in }
        #expect("\(verdict)" == "\(TrialVerdict.same)")
        // Once more: the first redaction is erased with the rest.
        try await bench.redact("c")
        try await bench.expectErased("c", gaps: "1-9")
    }

    @Test func onlySomeRowsLoseWhatTheySay() async throws {
        let bench = try await Self.bench()
        for number in 2...8 { try await bench.timed.send("add", .int(Int64(number)), to: "c") }
        let salt = try await bench.timed.record("c").salt
        try await bench.redact("c", seqs: "3,5-6")
        let rows = try await bench.timed.rows("c")
        #expect(rows.filter(\.isRedacted).map(\.seq.rawValue) == [3, 5, 6])
        for row in rows where !row.isRedacted {
            guard case .kept = row.salt else { Issue.record("seq \(row.seq.rawValue) has no salt"); continue }
        }
        #expect(try await bench.timed.record("c").salt != salt)
        #expect(
            try await bench.engine.instance(named: "c", after: Seq(rawValue: 2))?.record.state.context.contains("[2]")
                == true)
        try await bench.expectErased("c", gaps: "3-9")
    }

    @Test func aFailureIsErasedWithItsRow() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("fail", .string(marker), to: "c")
        #expect(try await bench.timed.record("c").status == .failed)
        try await bench.redact("c")
        let record = try await bench.timed.record("c")
        #expect(record.status == .failed && record.failure == nil)
        let failures = try await bench.engine.failures(of: [], by: .test)
        #expect(failures.groups.isEmpty && failures.redacted == 1)
        #expect(try bench.count(of: marker) == 0)
        try await bench.expectErased("c", gaps: "1-4")
        try await bench.repair("c", .skip)
        #expect(try await bench.timed.record("c").status == .running)
        try await bench.expectErased("c", gaps: "1-4")
    }

    // MARK: Slices

    /// Snapshots within the erased rows are emptied, earlier ones stay, and events come meanwhile.
    @Test func aLongHistoryIsErasedInSlices() async throws {
        let bench = try await Self.bench()
        for number in 2...1_500 {
            try await bench.timed.send("see", ["n": .int(Int64(number)), "m": .string(marker)], to: "c")
        }
        let sent = Task { [engine = bench.engine] in try await Self.see(engine) }
        try await bench.redact("c", seqs: "600-1400")
        try await sent.value
        #expect(try bench.count(of: "length(salt) = 0", in: "journal") == 801)
        #expect(try bench.count(of: "salt IS NULL", in: "snapshot WHERE seq < 1500") == 3)
        #expect(try bench.count(of: "salt IS NOT NULL", in: "snapshot WHERE seq < 1500") == 2)
        try await bench.expectWhole()
        try await bench.redact("c", paths: ["seen"])
        #expect(try bench.count(of: marker) == 0)
        try await bench.expectWhole()
    }

    private static func see(_ engine: Engine) async throws {
        for _ in 1...50 {
            _ = try await engine.send(SendCommand(instance: "c", event: Event(name: "see", data: ["n": 1])))
        }
    }

    /// One redaction ends in the batch in which the next begins, and the rows after it keep their content.
    @Test func severalAtOnceDoNotDisturbEachOther() async throws {
        let bench = try await Self.bench()
        let engine = bench.engine
        for round in 0..<12 {
            let name = InstanceName(rawValue: "many-\(round)")
            try await bench.timed.start("claim", name.rawValue)
            for number in 0..<30 { try await bench.timed.send("add", .int(Int64(number)), to: name.rawValue) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<8 {
                    group.addTask {
                        for number in 0..<6 {
                            let event = Event(name: "add", data: .int(Int64(number)))
                            _ = try await engine.send(SendCommand(instance: name.rawValue, event: event))
                            let seq = Int64((client * 6 + number) % 30 + 1)
                            _ = try await engine.redact(
                                RedactCommand(instance: name, seqs: SeqSet([seq...seq]), reason: "r", by: .test))
                            let record = try await engine.instance(named: name, by: .test).record
                            let row = try await engine.store.history(
                                HistoryQuery(
                                    instance: record.id, head: record.head, headSeq: record.seq, seqs: seq...seq,
                                    isReversed: false)
                            ).first
                            #expect(row?.isRedacted == true)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await bench.expectWhole()
    }

    /// A redaction keeps a snapshot of the remaining state, which may have much data.
    @Test(arguments: [nil, "d"] as [InstanceName?])
    func whatWasRedactedAndIsDeletedIsGone(name: InstanceName?) async throws {
        let bench = try await Self.bench()
        let engine = bench.engine
        try await bench.timed.send("name", ["who": .string(marker)], to: "c")
        try await bench.redact("c", seqs: "1", rename: name)
        #expect(try bench.count(of: marker) > 0)
        let command = DeleteCommand(instance: name ?? "c", takesUnfinished: true, reason: "r", by: .test)
        _ = try await engine.delete(command)
        try await eventually("all is taken away") { engine.purgeBacklog.instances == 0 }
        try await bench.expectWhole()
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.path)
        #expect(try file.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM snapshot") } == 0)
        try file.close()
    }

    @Test func aResetThatSaysItAgainMustBeNamedToo() async throws {
        let bench = try await Self.bench()
        let name = InstanceName(rawValue: "c")
        try await bench.timed.send("name", ["who": .string(marker)], to: "c")
        try await bench.reset("c", to: 2)
        for isDryRun in [true, false] {
            let command = RedactCommand(
                instance: name, seqs: SeqSet("2"), reason: "r", isDryRun: isDryRun, by: .test)
            let error = await #expect(throws: Rejection.self) { _ = try await bench.engine.redact(command) }
            #expect(
                error?.message == "Seq 3 (reset) holds what 'c' was after seq 2: name it too, as in '2,3'")
        }
        // A reset to an earlier state holds nothing that came after that state.
        try await bench.reset("c", to: 1)
        _ = try await bench.engine.redact(
            RedactCommand(instance: name, seqs: SeqSet("2,3"), reason: "r", by: .test))
        try await bench.expectWhole()
    }

    // MARK: Names

    @Test func anInstanceGetsAnotherName() async throws {
        let bench = try await Self.bench()
        let old = "n" + marker
        try await bench.timed.start("claim", old)
        try await bench.timed.send("later", 1, to: old)
        #expect(
            await bench.told { () throws(Rejection) in try await bench.redact(old, rename: "c") }
                == "instance-exists")
        let answer = try await bench.redact(old, seqs: "1", rename: "d")
        #expect(answer.instance == "d")
        #expect(
            await bench.told { () throws(Rejection) in
                try await bench.engine.instance(named: old)
            }
                == "instance-not-found")
        try await bench.timed.start("claim", old)
        try await bench.timed.send("add", 1, to: "d")
        try await bench.timed.send("add", 2, to: old)
        try await bench.timed.pass(7_200_000)
        #expect(
            try await bench.history("d") == [
                "started init", "event later", "redacted redact", "event add", "timer came",
            ])
        #expect(try await bench.history(old) == ["started init", "event add"])
        try await bench.expectWhole()
        try await bench.timed.restart()
        try await bench.expectErased("d", gaps: "1-3")
    }

    @Test func runsTellOfItByItsNewName() async throws {
        let bench = try await Self.bench()
        let old = InstanceName(rawValue: "n" + marker)
        try await bench.timed.start("claim", old.rawValue)
        let named: [InstanceName] = ["c", old]
        for (run, names) in [("selected", []), ("named", named)] {
            let targets: BulkRequest.Targets =
                names.isEmpty
                ? .selection(BulkSelection(machines: ["claim"])) : .names(names.count, BulkRequest.digest(of: names))
            let request = BulkRequest(action: .send(event: "worse", data: nil), targets: targets)
            _ = try await bench.engine.begin(run: run, request, names, by: .test)
            try await eventually("\(run) is done") {
                try await bench.engine.run(named: run, by: .test).record.state == .done
            }
        }
        try await bench.redact(old.rawValue, rename: "d")
        #expect(try bench.count(of: marker) == 0)
        for run in ["selected", "named"] {
            let view = try await bench.engine.run(named: run, by: .test)
            #expect(view.outcome.count(of: .refused) == 2)
            #expect(view.outcome.told.map(\.instance) == ["c", "d"], "\(run)")
            #expect(view.outcome.told.map { $0.message == nil } == [false, true])
        }
        let key = try await bench.engine.run(named: "named", by: .test).record.key
        #expect(try await bench.timed.store.bulkNames(of: key, from: 0) == ["c", "d"])
        try await bench.expectErased("d", gaps: "1-2")
    }

    // MARK: Effects

    @Test func whatIsUnderWayIsInTheWay() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let told = await bench.told { () throws(Rejection) in try await bench.redact("o") }
        #expect(told == "effects-open")
        let task = try await bench.task("charge")
        try await bench.report(
            .failed(TaskFailure(type: "declined", message: marker, canRetry: false)), task)
        #expect(try bench.count(of: marker) > 0)
        try await bench.redact("o", paths: ["why"])
        #expect(try bench.count(of: marker) == 0)
        try await bench.expectErased("o", gaps: "1-3")
    }

    @Test func whatBeganInErasedRowsCannotBeginAgain() async throws {
        let bench = try await TaskBench(
            """
            id: two
            initial: a
            states:
              a: {on: {go: b}}
              b: {invoke: {id: i, task: one}, on: {done.invoke.i: c}}
              c: {}
            """)
        try await bench.timed.start("two", "o")
        try await bench.timed.send("go", to: "o")
        let task = try await bench.task("one")
        try await bench.redact("o", seqs: "1")
        try await bench.report(.completed(1), task)
        for invocations in [nil, .again, .answer] as [Reset.Invocations?] {
            #expect(
                await bench.toldOfReset("o", to: 3, invocations: invocations)
                    == "redacted: 'o' waited then for what it waits for no more, and how that began was erased: 'i'; "
                    + "reset it to a later seq, or go on with 'set'")
        }
        try await bench.reset("o", to: 4)
        try await bench.expectErased("o", gaps: "1-3")
    }

    // MARK: Bad requests

    @Test func whatCannotBeErasedIsSaid() async throws {
        let bench = try await Self.bench()
        #expect(await bench.told { () throws(Rejection) in try await bench.redact("c", seqs: "9") } == "seq-not-found")
        #expect(await bench.told { () throws(Rejection) in try await bench.redact("x") } == "instance-not-found")
        let message = await bench.message { () throws(Rejection) in try await bench.redact("c", paths: ["whom"]) }
        #expect(message == "c: The context of 'claim' has no key 'whom'; did you mean 'who'?")
        try await bench.timed.send("end", to: "c")
        #expect(
            await bench.message { () throws(Rejection) in try await bench.redact("c", paths: ["who"]) }
                == "c is done: its context goes whole, without '--path'")
        try await bench.expectWhole()
        #expect(try await bench.timed.record("c").seq.rawValue == 2)
    }

    @Test func nothingBringsItBack() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("name", ["who": 1], to: "c")
        try await bench.redact("c")
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.path)
        for change in ["salt = NULL", "salt = zeroblob(16)", "data = '1'", "note = '{}'", "key = x'00'"] {
            #expect(throws: DatabaseError.self) {
                try file.inDatabase { try $0.execute(sql: "UPDATE journal SET \(change) WHERE length(salt) = 0") }
            }
        }
        // The verification finds it if somebody takes the trigger away.
        try file.inDatabase { database in
            let trigger = try String.fetchOne(
                database, sql: "SELECT sql FROM sqlite_schema WHERE name = 'journal_update'")
            try database.execute(sql: "DROP TRIGGER journal_update")
            try database.execute(
                sql: "UPDATE journal SET data = '\"' || hex(zeroblob(32)) || '\"' WHERE length(salt) = 0 AND seq = 2")
            try database.execute(sql: trigger ?? "")
        }
        try file.close()
        #expect(try await bench.findings(reopening: true) == ["c, seq 2: the digest does not fit what the row says"])
    }
}

extension TaskBench {
    fileprivate var path: String { timed.folder.path + "/wfd.db" }

    @discardableResult
    fileprivate func redact(
        _ name: String, seqs: String? = nil, paths: [String] = [], rename: InstanceName? = nil, reason: String = "r",
        isDryRun: Bool = false, key: String? = nil
    ) async throws(Rejection) -> RedactResult {
        try await engine.redact(
            RedactCommand(
                instance: InstanceName(rawValue: name), seqs: seqs.flatMap { SeqSet($0) }, paths: paths,
                newName: rename, reason: reason, isDryRun: isDryRun, key: key.flatMap(RequestKey.init(text:)),
                by: .test))
    }

    /// Returns the code of a rejection; `none` for success.
    fileprivate func told(_ body: () async throws(Rejection) -> Any?) async -> String {
        do throws(Rejection) {
            _ = try await body()
            return "none"
        } catch {
            return error.code.rawValue
        }
    }

    fileprivate func message(_ body: () async throws(Rejection) -> Any?) async -> String {
        do throws(Rejection) {
            _ = try await body()
            return "none"
        } catch {
            return error.message
        }
    }

    /// Returns the number of values in the database that contain a text.
    fileprivate func count(of text: String) throws -> Int {
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        return try file.inDatabase { database in
            var count = 0
            for table in try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
                for row in try Row.fetchAll(database, sql: "SELECT * FROM \(table)") {
                    for (_, value) in row {
                        let bytes = Data.fromDatabaseValue(value) ?? Data((String.fromDatabaseValue(value) ?? "").utf8)
                        if bytes.range(of: Data(text.utf8)) != nil, table != "dedupe" { count += 1 }
                    }
                }
            }
            return count
        }
    }

    /// Returns the number of rows of a table that meet a condition.
    fileprivate func count(of condition: String, in table: String) throws -> Int {
        let file = try DatabaseQueue(path: path)
        defer { try? file.close() }
        let sql = "SELECT count(*) FROM \(table) \(table.contains("WHERE") ? "AND" : "WHERE") \(condition)"
        return try file.inDatabase { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// The bytes of the write-ahead log.
    fileprivate var log: Data { get throws { try Data(contentsOf: URL(filePath: path + "-wal")) } }

    /// Expects that a verification finds nothing but rows that could not be refolded.
    func expectErased(
        _ name: InstanceName, gaps: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let told = Collected<String>()
        _ = try await Verification(of: timed.store).run { event in
            switch event {
            case .inconsistency(let finding): told.add("\(finding)")
            case .gap(let instance, let seqs): told.add("\(instance) \(seqs.text)")
            case .progress: break
            }
        }
        #expect(told.all == ["\(name) \(gaps)"], sourceLocation: sourceLocation)
    }
}
