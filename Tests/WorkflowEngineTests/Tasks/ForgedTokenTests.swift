import Foundation
import GRDB
import IdentityTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests tokens of tasks that this store has not handed out: whatever they contain, nothing is written.
@Suite(.timeLimit(.minutes(20))) struct ForgedTokenTests {
    private static let bad: EndTaskCommand.Report = .failed(TaskFailure(type: "t", message: "m"))

    /// The numbers of a token, in the order of its text.
    private enum Field: Int, CaseIterable { case effect, instance, generation, attempt, begun }

    /// Returns another token, with a replaced number or a replaced digit of the secret.
    private static func forge(_ token: TaskToken, _ field: Field?, _ number: Int64, secret: Bool) -> TaskToken? {
        var digits = Array(token.text)
        if let field {
            let text = String(UInt64(bitPattern: number), radix: 16)
            digits.replaceSubrange(
                16 * field.rawValue..<16 * field.rawValue + 16,
                with: String(repeating: "0", count: 16 - text.count) + text)
        }
        if secret { digits[100] = digits[100] == "0" ? "1" : "0" }
        return TaskToken(text: String(digits))
    }

    /// Returns the forgeries of a token that are possible without knowing how its secret is made.
    private static func forgeries(_ token: TaskToken) -> [TaskToken] {
        let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 3, 4, 7, 1 << 32, 1 << 48, 1 << 58, .max - 1, .max]
        var all = [forge(token, nil, 0, secret: true)]
        for field in Field.allCases {
            for number in numbers {
                for secret in [false, true] { all.append(forge(token, field, number, secret: secret)) }
            }
        }
        return all.compactMap(\.self).filter { $0 != token }
    }

    /// Returns the rows of a table, to the byte.
    private static func rows(_ table: String, of bench: TaskBench) async throws -> [String] {
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        return try await file.read { try Row.fetchAll($0, sql: "SELECT * FROM \(table)").map { "\($0)" } }
    }

    private static func expectNothing(of token: TaskToken, in bench: TaskBench, _ lease: String) async throws {
        let tables = ["attempt", "effect", "journal", "dedupe"]
        var before: [[String]] = []
        for table in tables { before.append(try await rows(table, of: bench)) }
        let engine = bench.engine
        let reports: [EndTaskCommand.Report] = [.completed(1), bad, .alive(progress: 1), .returned]
        for forged in forgeries(token) {
            for report in reports {
                let told = await bench.timed.rejection { () throws(Rejection) in
                    try await engine.report(EndTaskCommand(task: forged, report: report, by: .test))
                }
                #expect(told == "leaseLost", "\(lease): \(forged.text)")
            }
        }
        for (table, rows) in zip(tables, before) {
            #expect(try await Self.rows(table, of: bench) == rows, "\(lease): \(table)")
        }
    }

    @Test func aForgedTokenOfALeaseThatLivesWasLostOrNeverWasWritesNothing() async throws {
        let bench = try await TaskBench()
        for name in ["o", "p"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge", seconds: 5)
        try #require(tasks.count == 2)
        try await Self.expectNothing(of: tasks[0].token, in: bench, "it lives")
        try await bench.report(.alive(progress: nil), tasks[0])
        try await bench.timed.pass(5_000)
        let effects = try await bench.effects()
        try await eventually("the leases have run out") { try await bench.effects().allSatisfy { $0.state == .ready } }
        #expect(effects.count == 2)
        try await Self.expectNothing(of: tasks[0].token, in: bench, "it is lost")
        try await bench.timed.pass(10_000)
        let second = try await bench.lease("charge")
        try await Self.expectNothing(of: tasks[0].token, in: bench, "another one has it")
        for task in second { try await bench.report(.completed(1), task) }
        try await Self.expectNothing(of: tasks[0].token, in: bench, "the effect has ended")
        // The tokens that were handed out are told from all of these.
        #expect(await bench.rejection(of: .completed("late"), tasks[0]) == "leaseLost")
        #expect(try await Self.rows("attempt", of: bench).count { $0.contains("late") } == 1)
        try await bench.expectWhole()
    }

    /// No data of the lease is kept: the token alone proves it.
    @Test(arguments: [false, true]) func aLateResultIsKnownAfterARestart(hasEnded: Bool) async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 5)
        if hasEnded { try await bench.timed.send("stop", to: "o") } else { try await bench.timed.pass(5_000) }
        try await bench.timed.restart()
        #expect(await bench.rejection(of: Self.bad, task) == "leaseLost")
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.firstAttempts(of: record)
        #expect(attempts.map(\.outcome) == ["late"] && attempts.first?.attempt == 1)
        try await bench.expectWhole()
    }

    /// A redaction renews the salt of its instance, which is the key of the secrets.
    @Test func aResultBehindARedactionIsNotKept() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        try await bench.timed.send("stop", to: "o")
        _ = try await bench.engine.redact(RedactCommand(instance: "o", reason: "r", by: .test))
        #expect(await bench.rejection(of: Self.bad, task) == "leaseLost")
        #expect(try await Self.rows("attempt", of: bench).isEmpty)
    }

    /// A live lease needs no proof except its row. This includes one from before a redaction, or of an earlier release,
    /// whose secrets were random.
    @Test func aLeaseWhoseSecretCannotBeProvedHoldsAsLongAsItLives() async throws {
        let bench = try await TaskBench()
        for name in ["o", "p"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge", seconds: 30)
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        try await file.write { database in
            for effect in try Row.fetchAll(database, sql: "SELECT id, lease FROM effect") {
                let (id, lease) = (effect["id"] as Int64, effect["lease"] as Data)
                try database.execute(
                    sql: "UPDATE effect SET lease = ? WHERE id = ?",
                    arguments: [Data(0..<16) + lease.dropFirst(16), id])
            }
        }
        try file.close()
        try await bench.timed.reopen()
        let tokens = tasks.compactMap {
            TaskToken(text: $0.token.text.dropLast(32) + "000102030405060708090a0b0c0d0e0f")
        }
        try #require(tokens.count == 2)
        let engine = bench.engine
        try await engine.report(EndTaskCommand(task: tokens[0], report: .completed("in time"), by: .test))
        #expect(try await bench.timed.context("receipt", of: "o") == "in time")
        try await bench.timed.send("stop", to: "p")
        let told = await bench.timed.rejection { () throws(Rejection) in
            try await engine.report(EndTaskCommand(task: tokens[1], report: Self.bad, by: .test))
        }
        #expect(told == "leaseLost")
        #expect(try await Self.rows("attempt", of: bench).isEmpty)
    }

    /// Two workers that have the same attempt in the same millisecond have different tokens.
    @Test func aTaskThatWasGivenBackHasAnotherToken() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let first = try await bench.task("charge")
        try await bench.report(.returned, first)
        let second = try await bench.task("charge")
        #expect(second.attempt == first.attempt && second.token != first.token)
        #expect(await bench.rejection(of: .completed(1), first) == "leaseLost")
        try await bench.report(.completed(2), second)
        #expect(try await bench.timed.context("receipt", of: "o") == 2)
    }
}
