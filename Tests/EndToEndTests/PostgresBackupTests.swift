import DaemonTesting
import Foundation
import GRDB
import PostgresTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests backups of a store in PostgreSQL: files that are verified, served, and restored into either store.
@Suite(
    .timeLimit(.minutes(20)), .serialized, .ownThreads,
    .enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed: apt-get install postgresql"))
struct PostgresBackupTests {
    private let folder: TemporaryFolder
    private let url: String

    init() async throws {
        folder = try TemporaryFolder()
        url = try await onOwnThread { try PostgresServer.emptyDatabase() }
    }

    /// A client that sends without a pause.
    private final class Load: Sendable {
        private let isOver = Mutex(false)

        func end() { isOver.withLock { $0 = true } }

        /// Sends until the end of the load, and returns how often.
        func run(on daemon: Daemon) async throws -> Int {
            try await daemon.withClient { client in
                var count = 0
                while !isOver.withLock({ $0 }) {
                    _ = try await client.send(SendRequest(event: "flip"), to: "l-20")
                    count += 1
                }
                return count
            }
        }
    }

    // MARK: Helpers

    private func makeStore(_ partitions: Int, at other: String? = nil) async throws {
        let made = try await Daemon.launch(["init", other ?? url, "--partitions", "\(partitions)"]).result()
        try #require(made.end == .exited(0), "\(made)")
    }

    private func serve(_ database: String? = nil) async throws -> Daemon {
        let listen = ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"]
        let database = database ?? url
        return try await Daemon(
            arguments: Daemon.arguments(database: database, listen: listen), database: database, addresses: 2,
            environment: ["STATE_DIRECTORY": folder.path])
    }

    /// Runs `wfd` and expects that it succeeds.
    @discardableResult
    private func wfd(_ arguments: String...) async throws -> String {
        let result = try await Daemon.launch(arguments).result()
        try #require(result.end == .exited(0), "\(result)")
        return result.output
    }

    /// Runs SQL in the database and returns the values of the rows.
    @discardableResult
    private func run(_ sql: String, in other: String? = nil) async throws -> [String] {
        let server = try #require(PostgresServer.shared)
        return try await onOwnThread { [url] in try server.run(sql, in: other ?? url) }
    }

    /// The columns of each history that stay the same, with the digest, which covers all rows before.
    private static func history(_ hex: String) -> String {
        """
        SELECT i.name || ' ' || j.seq || ' ' || j.kind || ' ' || j.event || ' ' || j.at_ms || ' '
            || coalesce(j.data, '-') || ' ' || j.to_state || ' ' || m.name || m.version || ' ' || \(hex)
        FROM journal j JOIN instance i ON i.id = j.instance_id JOIN machine m ON m.id = j.machine_id
        WHERE i.status <> 'purging' ORDER BY 1
        """
    }

    private func histories(in other: String? = nil) async throws -> Set<String> {
        Set(try await run(Self.history("encode(j.digest, 'hex')"), in: other))
    }

    private func histories(ofFile path: String) async throws -> Set<String> {
        let file = DatabaseFile(path)
        return Set(
            try await onOwnThread {
                try file.read { try String.fetchAll($0, sql: Self.history("lower(hex(j.digest))")) }
            })
    }

    /// The numbers of rows of other tables, which are the same in every store of the same data.
    private static let counts = [
        "timer", "effect", "attempt", "snapshot", "dedupe", "queue", "machine_setting", "erasure", "audit", "machine",
    ].map { "SELECT '\($0) ' || count(*) FROM \($0)" }.joined(separator: " UNION ALL ")

    private func counts(in other: String? = nil) async throws -> Set<String> {
        Set(try await run(Self.counts, in: other))
    }

    private func counts(ofFile path: String) async throws -> Set<String> {
        let file = DatabaseFile(path)
        return Set(try await onOwnThread { try file.read { try String.fetchAll($0, sql: Self.counts) } })
    }

    private static let lamp = """
        id: lamp
        initial: off
        states: {off: {on: {flip: on}}, on: {on: {flip: off}}}
        """

    /// Fills the store with rows of every kind: those of a released file, and those of this build.
    private func fill(_ daemon: Daemon) async throws {
        _ = try await daemon.said("apply", folder.write(Self.lamp, to: "lamp.yaml"))
        _ = try await daemon.said("apply", Programs.example("order"))
        try await daemon.withClient { client in
            for number in 0..<32 {
                let name = "l-\(number)"
                _ = try await client.start(StartRequest(machine: "lamp", instance: name), key: "begin-\(number)")
                for time in 0..<3 {
                    let flip = SendRequest(event: "flip", data: .int(Int64(time)))
                    _ = try await client.send(flip, to: name, key: "flip-\(time)")
                }
            }
            for number in 0..<8 { _ = try await client.start(StartRequest(machine: "order", instance: "o-\(number)")) }
        }
        for number in 0..<3 {
            _ = try await daemon.said("delete", "l-\(number)", "--confirm", "l-\(number)", "--reason", "a test")
        }
        _ = try await daemon.said("redact", "l-7", "--seq", "2", "--reason", "a test")
        _ = try await daemon.wfctl("send", "flip", "--machine", "lamp", "--run", "r", "--reason", "r")
    }

    // MARK: The whole way

    @Test(arguments: [1, 16]) func aBackupIsTheStoreOfOneMoment(partitions: Int) async throws {
        try await makeStore(partitions)
        try await wfd("restore", url, Programs.fixture("0.4.0"))
        let daemon = try await serve()
        _ = try await daemon.said("release")
        try await fill(daemon)
        let token = try await daemon.secret("ci", "view")
        let cursors = try await daemon.json("history", "l-8").elements.compactMap { $0["cursor"].string }
        let copy = folder.path("copy.db")
        // A client writes meanwhile.
        let load = Load()
        async let count = load.run(on: daemon)
        let said = try await daemon.saidInTime("backup", copy)
        load.end()
        #expect(try await count > 0)
        #expect(said.hasPrefix("\(copy): "), "\(said)")
        #expect(try folder.names().allSatisfy { !$0.contains(".backup-") })

        let verified = try await wfd("verify", copy)
        #expect(verified.contains("no difference"), "\(verified)")
        let (copied, all) = (try await histories(ofFile: copy), try await histories())
        #expect(!copied.isEmpty && copied.isSubset(of: all))
        let beside = copied.filter { !$0.hasPrefix("l-20 ") }
        #expect(beside == all.filter { !$0.hasPrefix("l-20 ") })
        #expect(try await daemon.stop().end == .exited(0))
        let bytes = try Data(contentsOf: URL(filePath: copy))
        #expect(bytes.firstRange(of: Data(token.utf8.suffix(20))) == nil)

        // Into a file, which is served.
        let database = folder.path("restored.db")
        try await wfd("restore", copy, "--database", database)
        let served = try await serve(database)
        #expect(try await served.said("history", "l-8").contains("flip"))
        // The rows of one partition keep their positions, and those of several have new ones.
        let old = "/v1/instances/l-8/history?cursor=\(try #require(cursors.first))"
        let answer = try await served.answer(to: .get(old))
        #expect(answer.status == 410)
        #expect((try Problem(body: answer.body).parted?.seq == nil) == (partitions > 1), "\(answer.text)")
        _ = try await served.said("release")
        _ = try await served.said("send", "l-8", "flip")
        _ = try await served.said("start", "lamp", "another")
        #expect(try await served.stop().end == .exited(0))
        #expect(try await wfd("verify", database).contains("no difference"))

        // Into stores of one and of several partitions, and out of them again.
        for other in [1, 16] {
            let target = try await onOwnThread { try PostgresServer.emptyDatabase() }
            try await makeStore(other, at: target)
            try await wfd("restore", target, copy)
            #expect(try await wfd("verify", target).contains("no difference"))
            #expect(try await histories(in: target) == copied)
            #expect(try await counts(in: target) == counts(ofFile: copy))
            let next = try await serve(target)
            let again = folder.path("again-\(other).db")
            _ = try await next.saidInTime("backup", again)
            #expect(try await next.stop().end == .exited(0))
            #expect(try await histories(ofFile: again) == copied)
            #expect(try await counts(ofFile: again) == counts(ofFile: copy))
        }
    }

    /// Each partition has forgotten keys up to a position of its own. A file has one such position.
    @Test func forgottenKeysStayForgottenAndOthersRemembered() async throws {
        try await makeStore(16)
        try await wfd("restore", url, Programs.fixture("0.4.0"))
        let daemon = try await serve()
        try await fill(daemon)
        #expect(try await daemon.stop().end == .exited(0))
        let newest = "max(('x' || encode(substr(j.key, 1, 6), 'hex'))::bit(48)::bigint)"
        try await run(
            """
            UPDATE batch b SET dedupe_floor = next_position, dedupe_count = 0,
                dedupe_ms = greatest(dedupe_ms, coalesce((
                SELECT \(newest) FROM journal j WHERE j.position >> 48 = b.partition AND length(j.key) = 16
                    AND get_byte(j.key, 6) >> 4 = 7), 0))
            WHERE partition % 2 = 1;
            DELETE FROM dedupe WHERE (position >> 48) % 2 = 1;
            """)
        #expect(try await wfd("verify", url).contains("no difference"))
        let remembered = try await run("SELECT count(*) > 0 FROM dedupe")
        #expect(remembered == ["t"])

        let next = try await serve()
        let copy = folder.path("copy.db")
        _ = try await next.saidInTime("backup", copy)
        #expect(try await next.stop().end == .exited(0))
        #expect(try await wfd("verify", copy).contains("no difference"))
        #expect(try await histories(ofFile: copy) == histories())
        #expect(try await counts(ofFile: copy) == counts())
        let target = try await onOwnThread { try PostgresServer.emptyDatabase() }
        try await makeStore(5, at: target)
        try await wfd("restore", target, copy)
        #expect(try await wfd("verify", target).contains("no difference"))
        #expect(try await counts(in: target) == counts(ofFile: copy))
    }

    // MARK: Interruptions

    /// The condition of a lock of this database. Other suites use the same server.
    private static let ofDatabase = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"

    /// Ends sessions of this database.
    private func end(_ condition: String) async throws {
        try await run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND \(condition)
            """)
    }

    /// Begins a backup that waits in the middle of its copy: another session has locked a table that is read after the
    /// journal, and which no event touches. Calls a function, and unlocks the table.
    private func withHeldBackup(
        of daemon: Daemon, to copy: String, _ body: (RunningProgram) async throws -> Void
    ) async throws -> ProgramResult {
        let locking = "BEGIN; LOCK TABLE queue IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep_for('100 s')"
        async let lock: [String] = run(locking, in: url + "&application_name=hold")
        try await eventually("the table is locked") { [self] in
            try await run("SELECT count(*) FROM pg_locks WHERE relation = 'queue'::regclass AND \(Self.ofDatabase)")
                == ["1"]
        }
        let environment = Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"])
        let making = try RunningProgram(try Programs.path("wfctl"), ["backup", copy], environment: environment)
        try await eventually("the copy waits for the table") { [self] in
            try await run("SELECT count(*) FROM pg_locks WHERE NOT granted AND \(Self.ofDatabase)") == ["1"]
        }
        #expect(try folder.names().contains { $0.hasSuffix(".partial") })
        try await body(making)
        try await end("application_name = 'hold'")
        // The session that slept was ended.
        _ = try? await lock
        return try await making.result()
    }

    private func expectNoCopy(_ copy: String, hasLeft: Bool = false) throws {
        let names = try folder.names()
        #expect(names.contains { $0.contains(".backup-") } == hasLeft, "\(names)")
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func aKillInTheMiddleLeavesNothing() async throws {
        try await makeStore(16)
        let daemon = try await serve()
        try await fill(daemon)
        let copy = folder.path("copy.db")
        let made = try await withHeldBackup(of: daemon, to: copy) { _ in
            // Events go on while the copy waits.
            _ = try await daemon.said("send", "l-9", "flip")
            try await daemon.kill()
        }
        #expect(made.end != .exited(0), "\(made)")
        try expectNoCopy(copy, hasLeft: true)
        // The next daemon removes what the killed one left, and makes the backup.
        let next = try await serve()
        try expectNoCopy(copy)
        _ = try await next.saidInTime("backup", copy)
        #expect(try await wfd("verify", copy).contains("no difference"))
        #expect(try await next.stop().end == .exited(0))
    }

    @Test func aServerThatGoesAwayEndsTheBackupAlone() async throws {
        try await makeStore(1)
        let daemon = try await serve()
        try await fill(daemon)
        let copy = folder.path("copy.db")
        let made = try await withHeldBackup(of: daemon, to: copy) { _ in
            try await end("query LIKE '%FROM queue t%' AND pid <> pg_backend_pid()")
        }
        #expect(made.end != .exited(0) && made.errors.contains("Cannot back up 'postgres://"), "\(made)")
        #expect(made.errors.contains("Cannot read from"), "\(made)")
        try await eventually("the copy is removed") { try folder.names().allSatisfy { !$0.contains(".backup-") } }
        try expectNoCopy(copy)
        _ = try await daemon.said("send", "l-9", "flip")
        _ = try await daemon.saidInTime("backup", copy)
        #expect(try await wfd("verify", copy).contains("no difference"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func aCallerWhoLeavesEndsTheBackup() async throws {
        try await makeStore(1)
        let daemon = try await serve()
        try await fill(daemon)
        let copy = folder.path("copy.db")
        let made = try await withHeldBackup(of: daemon, to: copy) { making in making.signal(SIGTERM) }
        #expect(made.end != .exited(0), "\(made)")
        try await eventually("the copy is removed") { try folder.names().allSatisfy { !$0.contains(".backup-") } }
        try expectNoCopy(copy)
        try await eventually("the next backup is made") { try await daemon.wfctl("backup", copy).end == .exited(0) }
        // The snapshot is over, so the server keeps no old rows for it.
        let open = """
            SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()
            """
        try await eventually("no transaction is open") { [self] in try await run(open) == ["0"] }
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func aStandbyHandsTheBackupToTheOwner() async throws {
        try await makeStore(16)
        var daemons: [Daemon] = []
        for name in ["a", "b"] {
            let listen = ["unix:" + folder.path("\(name).sock")]
            let state = folder.path(name)
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
            daemons.append(
                try await Daemon(
                    arguments: Daemon.arguments(database: url, listen: listen) + ["--peer", "127.0.0.1:0"],
                    database: url, environment: ["STATE_DIRECTORY": state]))
        }
        try await fill(daemons[0])
        let copy = folder.path("copy.db")
        _ = try await daemons[1].saidInTime("backup", copy)
        #expect(try await wfd("verify", copy).contains("no difference"))
        for daemon in daemons.reversed() { #expect(try await daemon.stop().end == .exited(0)) }
    }
}
