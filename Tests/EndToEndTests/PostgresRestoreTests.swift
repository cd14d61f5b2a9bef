import DaemonTesting
import Foundation
import GRDB
import PostgresTesting
import Testing
import ThreadTesting

/// Tests the way of a database in a file into PostgreSQL, and the verification of a database there.
@Suite(
    .timeLimit(.minutes(20)), .serialized, .ownThreads,
    .enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresRestoreTests {
    private let folder: TemporaryFolder
    private let url: String

    init() async throws {
        folder = try TemporaryFolder()
        url = try await onOwnThread { try PostgresServer.emptyDatabase() }
    }

    private static let releases = ["0.1.0", "0.1.0-semantics", "0.2.0", "0.3.0", "0.4.0"]

    private func makeStore(partitions: Int) async throws {
        let made = try await Daemon.launch(["init", url, "--partitions", "\(partitions)"]).result()
        #expect(made.end == .exited(0), "\(made)")
    }

    private func restore(_ file: String) async throws -> ProgramResult {
        try await Daemon.launch(["restore", url, file]).result()
    }

    private func verify() async throws -> ProgramResult { try await Daemon.launch(["verify", url]).result() }

    /// Runs SQL in the database and returns the values of the rows.
    @discardableResult
    private func run(_ sql: String) async throws -> [String] {
        let server = try #require(PostgresServer.shared)
        return try await onOwnThread { [url] in try server.run(sql, in: url) }
    }

    /// The columns of each history that stay the same.
    private static let history = """
        SELECT i.name || ' ' || j.seq || ' ' || j.kind || ' ' || j.event || ' ' || j.at_ms || ' '
            || coalesce(j.data, '-') || ' ' || coalesce(j.note, '-') || ' ' || j.to_state || ' ' || m.name || m.version
        FROM journal j JOIN instance i ON i.id = j.instance_id JOIN machine m ON m.id = j.machine_id
        WHERE i.status <> 'purging' ORDER BY 1
        """

    @Test(arguments: releases, [1, 16])
    func aFileOfEveryReleaseMovesToPostgreSQL(release: String, partitions: Int) async throws {
        try await makeStore(partitions: partitions)
        let restored = try await restore(Programs.fixture(release))
        try #require(restored.end == .exited(0), "\(restored)")
        let verified = try await verify()
        #expect(verified.end == .exited(0), "\(verified)")

        // Reading leaves files beside a database.
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: Programs.fixture(release), toPath: copy)
        let file = DatabaseFile(copy)
        let before = try await onOwnThread { try file.read { try String.fetchAll($0, sql: Self.history) } }
        #expect(!before.isEmpty)
        #expect(try await run(Self.history).sorted() == before.sorted())
        #expect(try await run("SELECT held FROM store") == ["t"])
        if partitions > 1, release == "0.4.0" {
            let count = "SELECT (count(DISTINCT id >> 48) > 1) FROM instance"
            #expect(try await run(count) == ["t"])
        }
        // It is not empty any more.
        let again = try await restore(Programs.fixture(release))
        #expect(again.end != .exited(0) && again.errors.contains("the store has data"), "\(again)")
    }

    @Test func aRestoredDatabaseIsServedOn() async throws {
        let path = folder.path("wfd.db")
        let listen = ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"]
        let first = try await Daemon(
            arguments: Daemon.arguments(database: path, listen: listen), database: path, addresses: 2)
        _ = try await first.said("apply", Programs.example("order"))
        for number in 1...5 { _ = try await first.said("start", "order", "order-\(number)") }
        let before = try await first.said("history", "order-3")
        #expect(try await first.stop().end == .exited(0))

        try await makeStore(partitions: 1)
        let restored = try await restore(path)
        try #require(restored.end == .exited(0), "\(restored)")
        let second = try await Daemon(
            arguments: Daemon.arguments(database: url, listen: listen), database: url, addresses: 2)
        #expect(try await second.said("history", "order-3") == before)
        _ = try await second.said("start", "order", "order-6")
        _ = try await second.said("release")
        // Beside the daemon that serves, and by it.
        let beside = try await verify()
        #expect(beside.end == .exited(0), "\(beside)")
        let own = try await second.wfctl("verify", "--all")
        #expect(own.end == .exited(0), "\(own)")
        #expect(try await second.stop().end == .exited(0))
    }

    @Test(arguments: [
        ("UPDATE instance SET context = '{\"broken\":1}' WHERE status = 'running'", "error"),
        (
            """
            ALTER TABLE journal DISABLE TRIGGER ALL;
            DELETE FROM journal WHERE position = (SELECT max(previous) FROM journal)
            """, "missing"
        ),
        ("UPDATE tally SET n = n + 1 WHERE status = 'running'", "tally"),
        ("DELETE FROM effect WHERE number IS NOT NULL", "is not in the table of effects"),
        ("DELETE FROM timer", "is not in the table of timers"),
        ("DELETE FROM dedupe", "remember"),
        ("UPDATE batch SET next_position = next_position + 5000", "next position"),
    ])
    func aChangeByOtherHandsIsFound(sql: String, message: String) async throws {
        try await makeStore(partitions: 16)
        try #require(try await restore(Programs.fixture("0.4.0")).end == .exited(0))
        try await run(sql)
        let verified = try await verify()
        #expect(verified.end == .exited(1), "\(verified)")
        #expect(message == "error" || verified.output.contains(message), "\(verified)")
    }

    @Test func halfARestoreIsNotServedAndBeginsAnew() async throws {
        try await makeStore(partitions: 1)
        try await run(
            "UPDATE store SET restoring = true; INSERT INTO queue VALUES ('q', 1, NULL, NULL, false, NULL, 1)")
        let served = try await Daemon.launch(["--database", url, "--listen", "unix:" + folder.path("w.sock")]).result()
        #expect(served.end != .exited(0) && served.errors.contains("a restore into it has not ended"), "\(served)")
        #expect(try await restore(Programs.fixture("0.4.0")).end == .exited(0))
        #expect(try await run("SELECT count(*) FROM queue WHERE name = 'q'") == ["0"])
        #expect(try await verify().end == .exited(0))
    }

    @Test func aClockIsAcceptedAfterEventsOfTheFuture() async throws {
        try await makeStore(partitions: 1)
        try #require(try await restore(Programs.fixture("0.4.0")).end == .exited(0))
        try await run("UPDATE batch SET last_ms = last_ms + 400::bigint * 86400000")
        let serve = ["--database", url, "--listen", "unix:" + folder.path("w.sock")]
        let refused = try await Daemon.launch(serve).result()
        #expect(refused.end != .exited(0) && refused.errors.contains("run 'wfd clock accept'"), "\(refused)")
        let tried = try await Daemon.launch(["clock", "accept", url, "--lower", "--dry-run"]).result()
        #expect(tried.end == .exited(0) && tried.output.contains("the clock would be accepted"), "\(tried)")
        let accepted = try await Daemon.launch(["clock", "accept", url]).result()
        #expect(accepted.end == .exited(0) && accepted.output.contains("the clock is accepted"), "\(accepted)")
        let verified = try await verify()
        #expect(verified.end == .exited(0), "\(verified)")
        let listen = ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"]
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: url, listen: listen), database: url, addresses: 2)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func whatCannotBeRestoredIsRefused() async throws {
        try await makeStore(partitions: 1)
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: Programs.fixture("0.4.0"), toPath: copy)
        try await onOwnThread { try DatabaseFile(copy).change("PRAGMA user_version = 99") }
        let newer = try await restore(copy)
        #expect(newer.end != .exited(0) && newer.errors.contains("99"), "\(newer)")
        #expect(try await run("SELECT restoring FROM store") == ["f"])
        let missing = try await restore(folder.path("none.db"))
        #expect(missing.end != .exited(0) && missing.errors.contains("there is no such file"), "\(missing)")
        let forgotten = try await Daemon.launch(["restore", "postgres://wfd:s3cret@/flows"]).result()
        #expect(forgotten.end == .exited(64) && forgotten.errors.contains("the backup is missing, after the URL"))
        #expect(!forgotten.errors.contains("s3cret"))
        let virtual = try await Daemon.launch(["restore", "--clock", "virtual", url, copy]).result()
        #expect(virtual.end != .exited(0) && virtual.errors.contains("virtual clock"), "\(virtual)")
    }
}
