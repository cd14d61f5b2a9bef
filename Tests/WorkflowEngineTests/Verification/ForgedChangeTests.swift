import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests that a verification finds each kind of forged row of the table `change`.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct ForgedChangeTests {
    /// Writes a file with changes, an instance and a deletion; returns it after it was closed.
    private static func written() async throws -> WrittenFile {
        let folder = try StoreFolder(isInMemory: true)
        let clock = HandClock()
        let running = try await RunningEngine(store: try folder.open(), clock: clock)
        let engine = running.engine
        for name in ["a", "gone"] { try await running.start(name) }
        clock.advance(1_000)
        _ = try await engine.set(SetMachineCommand(machine: "lamp", .active(1), by: .test))
        clock.advance(1_000)
        try await engine.hold(HoldCommand(isHeld: true, by: .test))
        _ = try await engine.delete(DeleteCommand(instance: "gone", takesUnfinished: true, reason: "r", by: .test))
        for number in 1...2 {
            clock.advance(1_000)
            try await engine.record(changeOf: "shop", "created: send", number: Int64(number), by: .test)
        }
        try await running.stop()
        return WrittenFile(in: folder)
    }

    @Test(arguments: [
        ("UPDATE change SET version = 9 WHERE action = 'apply'", "names a machine or a version that is not there"),
        ("UPDATE change SET object = 'lamb' WHERE action = 'activate'", "names a machine or a version"),
        ("UPDATE change SET version = NULL WHERE action = 'apply'", "does not have the values of its action 'apply'"),
        ("UPDATE change SET object = 'x' WHERE action = 'hold'", "the values of its action 'hold'"),
        ("UPDATE change SET object = '' WHERE action = 'token'", "the values of its action 'token'"),
        ("UPDATE change SET action = 'delete' WHERE action = 'hold'", "the column 'action' of its table 'change'"),
        ("UPDATE change SET at_ms = 0 WHERE number = 2", "a change's time lies before the one before"),
        ("UPDATE change SET at_ms = -1 WHERE number = 2", "the column 'at_ms' of its table 'change'"),
        ("UPDATE change SET at_ms = at_ms + 5000000 WHERE number = 2", "the store's last time is"),
        ("UPDATE change SET number = 0 WHERE number = 2", "a number that is not above the one before"),
        ("UPDATE change SET number = -1 WHERE number = 2", "the column 'number' of its table 'change'"),
        ("UPDATE change SET namespace_id = 7 WHERE number = 2", "names a namespace that is not there"),
        (
            "UPDATE change SET position = (SELECT min(position) FROM journal) WHERE action = 'apply'",
            "has the position of another row"
        ),
        (
            "UPDATE change SET position = (SELECT position FROM audit) WHERE action = 'hold'",
            "has the position of another row"
        ),
        ("UPDATE change SET position = 1000 WHERE number = 2", "the store's next position"),
        ("DELETE FROM change WHERE number = 2", "the store's next position"),
        (
            "INSERT INTO change (position, namespace_id, at_ms, action) VALUES (0, 1, 0, 'hold')",
            "the column 'position' of its table 'change'"
        ),
    ])
    func aForgedRowIsFound(sql: String, finding: String) async throws {
        let file = try await Self.written()
        let before = try await file.findings()
        #expect(before == [])
        try file.forge(sql)
        let findings = try await file.findings()
        #expect(findings.contains { $0.contains(finding) }, "\(findings)")
    }

    /// The rows say who did what, so the file itself refuses to change them.
    @Test(arguments: ["UPDATE change SET actor = 'x'", "DELETE FROM change"])
    func aRowIsNeitherChangedNorDeleted(sql: String) async throws {
        let file = try await Self.written()
        let error = #expect(throws: DatabaseError.self) { try file.read { try $0.execute(sql: sql) } }
        #expect(error?.message?.hasPrefix("a row of a change ") == true)
    }

    /// An accepted clock begins anew, and its row is the first of the new times.
    @Test func anAcceptedClockIsNoInconsistency() async throws {
        let file = try await Self.written()
        let now = Timestamp(rawValue: 1_700_000_000_500)
        let store = try SQLiteFileStore.open(at: file.path, clock: now)
        let writer = try store.writer()
        _ = try writer.acceptClock(now, by: "uid:0")
        try writer.close()
        #expect(try await file.findings() == [])
        let row = try file.read { try Row.fetchOne($0, sql: "SELECT * FROM change ORDER BY position DESC LIMIT 1") }
        #expect(row?["action"] == "clock" && row?["actor"] == "uid:0" && row?["at_ms"] == now.rawValue)
        #expect(
            row?["detail"] == "accepted: 2023-11-14T22:13:20.500Z, after 2023-11-14T22:13:24.000Z")
    }
}
