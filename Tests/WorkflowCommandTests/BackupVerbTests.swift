import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `wfctl backup` with a daemon that gives these answers.
struct BackupVerbTests {
    private static let bytes = Array("SQLite format 3".utf8)
    private static let backup = Backup(
        backup: "0123456789abcdef", bytes: 15,
        digest: "b244cfc05c70fb07db66047c2c419d19f63aa1d6a4c8563c2fa631ba895111c3",
        generation: 2, instances: 3, events: 40, lastAt: Sample.time)

    /// Returns the answers of a daemon that makes a backup and sends it.
    private static func answers(_ backup: Backup, bytes: [UInt8] = Self.bytes) -> [ScriptedTransport.Step] {
        let lines: [BackupLine] = [
            .progress(.copying, done: 5 << 20, total: 20 << 20), .progress(.copying, done: 10 << 20, total: 20 << 20),
            .progress(.checking, done: 0, total: 20 << 20), .ready(backup),
        ]
        return [.lines(lines.map { JSONWriter.string($0) }), .bytes(bytes, as: Backup.mediaType)]
    }

    @Test func theFileIsWrittenAndTold() async {
        let files = MemoryFiles(contents: [:])
        let transport = ScriptedTransport(Self.answers(Self.backup))
        let (outcome, _) = await CommandHarness().run(["backup", "w.db"], transport: transport, files: files)
        #expect(
            outcome
                == .init(
                    exit: 0,
                    output: "w.db: 15 B, 3 instances, 40 events until 2026-07-31T09:30:00.123Z (generation 2)\n",
                    errors: ""))
        #expect(files.contents == ["w.db": "SQLite format 3"])
        #expect(transport.requests.map(\.target) == ["/v1/backups", "/v1/backups/0123456789abcdef"])
    }

    @Test func itsFieldsCanBeHadAsJSON() async {
        let outcome = await CommandHarness().run("backup", "w.db", "-o", "jsonl", answers: Self.answers(Self.backup))
        #expect(
            outcome.output
                == #"{"file":"w.db","bytes":15,"digest":"\#(Self.backup.digest)","generation":2,"instances":3,"#
                + #""events":40,"lastAt":"2026-07-31T09:30:00.123Z"}"# + "\n")
    }

    @Test func itGoesToStandardOutputToo() async {
        let outcome = await CommandHarness().run("backup", "-", answers: Self.answers(Self.backup))
        #expect(
            outcome
                == .init(
                    exit: 0, output: "SQLite format 3",
                    errors: "standard output: 15 B, 3 instances, 40 events until 2026-07-31T09:30:00.123Z "
                        + "(generation 2)\n"))
    }

    /// A replaced database would meet the log of the one before.
    @Test(arguments: [
        ("w.db", "w.db-wal", "'w.db' is a database in use: 'w.db-wal' is beside it"),
        ("w.db", "w.db-shm", "'w.db' is a database in use: 'w.db-shm' is beside it"),
        ("w.db-wal", "w.db-wal", "'w.db-wal' is a part of a database"),
        ("w.db.held-wal", "w.db.held-wal", "'w.db.held-wal' is a part of a database"),
    ])
    func aDatabaseIsNeverReplaced(destination: String, present: String, message: String) async {
        var contents = [destination: "old"]
        contents[present] = "old"
        let files = MemoryFiles(contents: contents)
        let transport = ScriptedTransport(Self.answers(Self.backup))
        let (outcome, _) = await CommandHarness().run(
            ["backup", "--force", destination], transport: transport, files: files)
        let remedy = "name another file; 'wfd restore' puts a backup in the place of a database"
        #expect(outcome == .init(exit: 73, output: "", errors: "error: \(message)\n  \(remedy)\n"))
        #expect(files.contents[destination] == "old" && transport.requests.isEmpty)
    }

    @Test func aFileThatIsThereStays() async {
        let harness = CommandHarness(files: ["w.db": "old"])
        let outcome = await harness.run("backup", "w.db")
        #expect(
            outcome == .init(exit: 73, output: "", errors: "error: 'w.db' exists already\n  --force replaces it\n"))
        let files = MemoryFiles(contents: ["w.db": "old"])
        let transport = ScriptedTransport(Self.answers(Self.backup))
        _ = await harness.run(["backup", "--force", "w.db"], transport: transport, files: files)
        #expect(files.contents == ["w.db": "SQLite format 3"])
    }

    @Test func whatWasDamagedOnItsWayIsNotKept() async {
        let files = MemoryFiles(contents: [:])
        for bytes in [Array(Self.bytes.dropLast()), Self.bytes.dropLast() + [0]] {
            let transport = ScriptedTransport(Self.answers(Self.backup, bytes: bytes))
            let (outcome, _) = await CommandHarness().run(["backup", "w.db"], transport: transport, files: files)
            #expect(outcome.exit == 1)
            #expect(
                outcome.errors
                    == "error: The backup was damaged on its way: \(bytes.count) of 15 bytes with another digest\n")
        }
        #expect(files.contents.isEmpty)
    }

    @Test func progressIsToldWhenItTakesLong() async {
        var harness = CommandHarness()
        harness.tick = .seconds(4)
        let log = await harness.run("backup", "w.db", answers: Self.answers(Self.backup))
        #expect(log.errors.hasPrefix("copying 5.0 MiB of 20.0 MiB (25 %)\n"))
        harness.isTerminal = true
        let terminal = await harness.run("backup", "w.db", answers: Self.answers(Self.backup))
        #expect(
            terminal.errors.hasPrefix(
                "\rcopying 5.0 MiB of 20.0 MiB (25 %)\u{1B}[K\rcopying 10.0 MiB of 20.0 MiB (50 %), 8s left\u{1B}[K"))
        #expect(terminal.errors.hasSuffix("\r\u{1B}[K"))
    }

    @Test func whatGoesWrongIsTold() async {
        let running = Problem(.backupRunning, detail: "A backup is made already")
        let refused = await CommandHarness().run("backup", "w.db", answers: [.problem(running)])
        #expect(refused == .init(exit: 75, output: "", errors: "error: A backup is made already\n"))
        let full = LineStream.ProblemLine(Problem(.storageUnavailable, detail: "Cannot back up 'w': its disk is full"))
        let later = await CommandHarness().run("backup", "w.db", answers: [.lines([JSONWriter.string(full)])])
        #expect(later == .init(exit: 75, output: "", errors: "error: Cannot back up 'w': its disk is full\n"))
        // Waiting does not help.
        let damaged = LineStream.ProblemLine(Problem(.databaseDamaged, detail: "Cannot back up 'w': it is damaged"))
        let never = await CommandHarness().run("backup", "w.db", answers: [.lines([JSONWriter.string(damaged)])])
        #expect(never == .init(exit: 65, output: "", errors: "error: Cannot back up 'w': it is damaged\n"))
    }
}
