import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowJSON

/// Tests `wfctl verify` and `wfd verify`, through the programs themselves: changes that somebody made behind the
/// daemon's back.
@Suite struct VerifyTests {
    /// Returns the database of a daemon that wrote rows and was stopped properly.
    private func written(in folder: TemporaryFolder) async throws -> DatabaseFile {
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        _ = try await daemon.said("start", "order", "order-7")
        _ = try await daemon.said("send", "order-7", "submit", "--data", #"{"amount":250}"#)
        _ = try await daemon.stop()
        return DatabaseFile(daemon.database)
    }

    /// The file of such a daemon, for changes of one value each.
    private static let master = Task {
        let folder = try TemporaryFolder()
        _ = try await VerifyTests().written(in: folder)
        return try Data(contentsOf: URL(filePath: folder.path("wfd.db")))
    }

    private func verify(_ file: String) async throws -> ProgramResult {
        try await Daemon.launch(["verify", file]).result()
    }

    /// Each column of a journal row is changed in one byte, by means of `sqlite3`.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            "position = 99", "instance_id = 1", "machine_id = 9", "seq = 3", "previous = 1", "at_ms = at_ms + 1",
            "real_ms = at_ms", "kind = 'evemt'", "event = 'sucmit'", "data = replace(data, '250', '251')",
            "from_state = 'drafs'", "to_state = to_state || 'x'", "actor = 'a'", "key = zeroblob(16)",
            "digest = zeroblob(32)",
        ])
    func aChangedColumnIsFoundAndNamed(_ change: String) async throws {
        let bytes = try await Self.master.value
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(filePath: folder.path("wfd.db")))
        let file = DatabaseFile(folder.path("wfd.db"))
        try file.forge(
            """
            UPDATE journal SET \(change)
            WHERE seq = 2 AND instance_id = (SELECT id FROM instance WHERE name = 'order-7')
            """)
        let found = try await verify(folder.path("wfd.db"))
        #expect(found.end == .exited(1))
        #expect(found.output.contains("order-7, seq 2: "), "\(found)")
        #expect(found.errors == "")
    }

    /// A person makes such a copy who copies only the file while wfd runs.
    @Test(.timeLimit(.minutes(20))) func aCopyWithoutItsLogIsNotWhole() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        _ = try await daemon.said("start", "order", "order-7")
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: daemon.database, toPath: copy)
        let found = try await verify(copy)
        #expect(found.end == .exited(1))
        #expect(
            found.errors.hasPrefix("error: it was not closed in order, and its write-ahead log is not beside it"),
            "\(found)")
        #expect(try await verify(daemon.database).end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aDeletedRowIsFoundAndNamed() async throws {
        let folder = try TemporaryFolder()
        let file = try await written(in: folder)
        try file.forge("DELETE FROM journal WHERE seq = 1 AND instance_id = 2")
        let found = try await verify(folder.path("wfd.db"))
        #expect(found.end == .exited(1))
        #expect(found.output.hasPrefix("order-7, seq 1: the row is missing\n"), "\(found)")
    }

    @Test(.timeLimit(.minutes(20))) func twoSwappedRowsAreFoundAndNamed() async throws {
        let folder = try TemporaryFolder()
        let file = try await written(in: folder)
        try file.forge(
            """
            CREATE TEMP TABLE pair AS SELECT * FROM journal WHERE instance_id = 2;
            DELETE FROM journal WHERE instance_id = 2;
            UPDATE pair SET position = (SELECT min(position) + max(position) FROM pair) - position;
            INSERT INTO journal SELECT * FROM pair;
            """)
        let found = try await verify(folder.path("wfd.db"))
        #expect(found.end == .exited(1))
        let finding = "order-7, seq 1: the column 'previous' of its table 'journal' holds 3, which no wfd writes\n"
        #expect(found.output.hasPrefix(finding), "\(found)")
    }

    /// The daemon's own check at its start does not find this change.
    @Test(.timeLimit(.minutes(20))) func aServingDaemonFindsAChange() async throws {
        let folder = try TemporaryFolder()
        let file = try await written(in: folder)
        try file.forge("UPDATE instance SET context = replace(context, '250', '251') WHERE name = 'order-7'")
        let daemon = try await Daemon(in: folder)
        let finding = "order-7, seq 2: the instance's context is not what its history leads to\n"
        for arguments in [["verify", "--all"], ["verify", "order-7"]] {
            let found = try await daemon.wfctl(arguments)
            #expect(found.end == .exited(1))
            #expect(found.output.hasPrefix(finding), "\(found)")
            #expect(found.output.hasSuffix("\n1 difference\n"), "\(found)")
            // On a busy machine it may take long enough to say how far it is.
            #expect(found.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("verifying ") }, "\(found)")
        }
        let beside = try await verify(folder.path("wfd.db"))
        #expect(beside.end == .exited(1))
        #expect(beside.output.hasPrefix(finding), "\(beside)")
        #expect(try await daemon.saidInTime("verify", "order").hasSuffix("no difference\n"))
        let json = try JSONReader.value(from: try await daemon.wfctl("verify", "--all", "-o", "json").output)
        #expect(json["findings"].elements.map { $0["instance"] } == ["order-7"])
        #expect(json["counts"]["differences"] == 1)
        let unknown = try await daemon.wfctl("verify", "order-8")
        #expect(unknown.end == .exited(4))
        #expect(unknown.errors == "error: There is no instance 'order-8'\n  did you mean 'order-7'?\n")
    }

    /// A daemon that was killed leaves its last rows in the log; a copy of the file alone lacks them.
    @Test(.timeLimit(.minutes(20))) func aFileIsVerifiedWithItsLogAndWithout() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        #expect(try await verify(folder.path("wfd.db")).output.hasPrefix("1 instance, 1 event, "))
        try await daemon.kill()
        let names = try folder.names()
        let killed = try await verify(folder.path("wfd.db"))
        #expect(killed.end == .exited(0))
        #expect(
            killed.output
                == "1 instance, 1 event, 0 snapshots, 0 timers, 1 key, 1 machine version: no difference\n")
        #expect(try folder.names() == names)
        try FileManager.default.copyItem(atPath: folder.path("wfd.db"), toPath: folder.path("copy.db"))
        let copied = try await verify(folder.path("copy.db"))
        #expect(copied.end == .exited(1))
        let missing = "error: it was not closed in order, and its write-ahead log is not beside it: "
        #expect(copied.errors.hasPrefix(missing), "\(copied)")
        try FileManager.default.removeItem(atPath: folder.path("copy.db"))
        daemon = try await Daemon(in: folder)
        _ = try await daemon.stop()
        let whole = try await verify(folder.path("wfd.db"))
        #expect(whole.end == .exited(0))
        #expect(whole.output == killed.output)
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    /// The verification does as a start does, but nothing is moved and nothing is kept.
    @Test(.timeLimit(.minutes(20))) func aBrokenLogIsTold() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("order")
        for number in 1...4 { _ = try await daemon.said("start", "order", "order-\(number)") }
        #expect(try await verify(folder.path("wfd.db")).errors == "")
        try await daemon.kill()
        let log = folder.path("wfd.db-wal")
        var bytes = try Data(contentsOf: URL(filePath: log))
        bytes[32 + 24 + 1_000] ^= 1
        try bytes.write(to: URL(filePath: log))
        let names = try folder.names()
        let told = try await verify(folder.path("wfd.db"))
        #expect(told.errors.hasPrefix("warning: the write-ahead log has "), "\(told)")
        #expect(
            told.errors.hasSuffix(
                " and 0 of them could be used; it was damaged, and answered events are lost\n"), "\(told)")
        #expect(try Data(contentsOf: URL(filePath: log)) == bytes)
        #expect(try folder.names() == names)
    }

    @Test(.timeLimit(.minutes(20))) func aFileThatIsNotOursIsRefused() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("hello", to: "other.db")
        let refused = try await verify(path)
        #expect(refused.end == .exited(65))
        #expect(refused.errors == "error: Cannot open '\(path)': it is not an SQLite database\n")
        #expect(try await verify(folder.path("none.db")).end == .exited(73))
    }
}

extension DatabaseFile {
    /// Runs SQL without the triggers and the checks, and puts the triggers back to the letter.
    func forge(_ sql: String) throws {
        let triggers = try read {
            try Row.fetchAll($0, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        }
        let names: [String] = triggers.map { $0["name"] }
        let texts: [String] = triggers.map { $0["sql"] }
        try changeUnchecked(names.map { "DROP TRIGGER \($0);" }.joined() + sql + ";" + texts.joined(separator: ";"))
    }
}
