import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Kills a restore before its first flush, link, rename or removal, before its second and so on. No event of the
/// database may be lost, and the messages must lead to a way out.
@Suite struct InterruptedRestoreTests {
    private static let inBackup = 3
    private static let inDatabase = 7

    /// Returns a folder with a backup, and a database with more events, which are in the log of a killed daemon.
    private static func makeTemplate() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let applied = try await daemon.wfctl("apply", Programs.example("profile"))
        guard applied.end == .exited(0) else { throw TestingError("\(applied)") }
        let started = try await daemon.wfctl("start", "profile", "p-1")
        guard started.end == .exited(0) else { throw TestingError("\(started)") }
        try await send(inBackup - 1, from: 1, to: daemon)
        let copied = try await daemon.wfctl("backup", folder.path("backup.db"))
        guard copied.end == .exited(0) else { throw TestingError("\(copied)") }
        try await send(inDatabase - inBackup, from: inBackup, to: daemon)
        try await daemon.kill()
        try FileManager.default.removeItem(atPath: folder.path("wfd.sock"))
        return folder
    }

    private static func send(_ count: Int, from seq: Int, to daemon: Daemon) async throws {
        for turn in seq..<seq + count {
            let answer = try await daemon.answer(
                to: .post("/v1/instances/p-1/events", #"{"event": "\#(turn % 2 == 1 ? "succeed" : "retry")"}"#))
            guard answer.status == 200 else { throw TestingError(answer.text) }
        }
    }

    private static func copy(_ template: TemporaryFolder) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in try template.names() {
            try FileManager.default.copyItem(atPath: template.path(name), toPath: folder.path(name))
        }
        return folder
    }

    private static func restore(in folder: TemporaryFolder, _ faults: SyncFaults? = nil) async throws -> ProgramResult {
        try await Daemon.launch(
            ["restore", folder.path("backup.db"), "--database", folder.path("wfd.db")],
            environment: try faults?.environment ?? [:]
        ).result()
    }

    /// Returns the seq of the instance, as a daemon on the database reports it.
    private static func seq(in folder: TemporaryFolder, database: String = "wfd.db") async throws -> Int {
        let daemon = try await Daemon(in: folder, database: database)
        let answer = try await daemon.answer(to: .get("/v1/instances/p-1"))
        guard case .int(let seq)? = try answer.object["seq"] else { throw TestingError(answer.text) }
        let stopped = try await daemon.stop()
        guard stopped.end == .exited(0) else { throw TestingError("\(stopped)") }
        return Int(seq)
    }

    @Test(.timeLimit(.minutes(20))) func whereverItIsKilledNoEventIsLostAndTheMessageLeadsOut() async throws {
        let template = try await Self.makeTemplate()
        var ends: [String: Int] = [:]
        var step = 0
        while true {
            step += 1
            try #require(step < 200, "the restore never gets through")
            let folder = try Self.copy(template)
            let faults = try SyncFaults(in: folder)
            try faults.kill(before: step)
            let end = try await Self.restore(in: folder, faults).end
            if end == .exited(0) { break }
            #expect(end == .killed(by: SIGKILL), "step \(step)")
            ends[try await Self.expectAWayOut(in: folder, "killed before step \(step)"), default: 0] += 1
        }
        print("restore: killed before each of \(step - 1) steps: \(ends)")
        #expect(ends["as it was", default: 0] > 0 && ends["cut off", default: 0] > 0)
    }

    /// Starts a daemon on the files that a killed restore left, and expects a way out.
    private static func expectAWayOut(in folder: TemporaryFolder, _ comment: Comment) async throws -> String {
        let database = folder.path("wfd.db")
        let start = try Daemon.launch(
            Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")]))
        let isServing = (try? await start.errorLines(containing: "listening")) != nil
        if isServing {
            start.signal(SIGTERM)
            #expect(try await start.result().end == .exited(0), comment)
            let seq = try await seq(in: folder)
            #expect([inBackup, inDatabase].contains(seq), comment)
            #expect(try folder.names().allSatisfy { !$0.contains("restoring") }, comment)
            return seq == inDatabase ? "as it was" : "restored"
        }
        let result = try await start.result()
        #expect(result.end == .exited(73), comment)
        let kept = try #require(result.errors.firstMatch(of: /while it kept the database as '([^']+)'/)?.1, comment)
        #expect(
            result.errors.contains(
                "Cannot open '\(database)': a restore was cut off while it kept the database as '\(kept)'; "
                    + "run 'wfd restore' again"), comment)
        let again = try await restore(in: folder)
        #expect(again.end == .exited(0), "\(again.errors); \(comment)")
        #expect(again.output.contains("the database that was there: \(kept)\n"), comment)
        #expect(try await seq(in: folder) == inBackup, comment)
        let name = try #require(kept.split(separator: "/").last.map(String.init))
        #expect(try await seq(in: folder, database: name) == inDatabase, comment)
        #expect(try folder.names().allSatisfy { !$0.contains("restoring") }, comment)
        return "cut off"
    }

    /// Nobody is served data that was erased from the replaced database. Nor does an instance come back that was
    /// deleted from it, whose timer would fire.
    @Test(.timeLimit(.minutes(10))) func whereverItIsKilledNothingErasedIsServed() async throws {
        let template = try TemporaryFolder()
        let daemon = try await Daemon(in: template)
        _ = try await daemon.wfctl("apply", Programs.example("profile"))
        _ = try await daemon.wfctl("start", "profile", "p-1")
        _ = try await daemon.wfctl("start", "profile", "p-2")
        let lines = (1...1_200).map { number in
            #"{"instance": "p-1", "event": "\#(number % 2 == 1 ? "succeed" : "retry")", "data": "tok_9"}"#
        }
        let sent = try await daemon.answer(
            to: .post("/v1/events", lines.joined(separator: "\n"), as: "application/x-ndjson"))
        #expect(sent.status == 200)
        #expect(try await daemon.wfctl("backup", template.path("backup.db")).end == .exited(0))
        let erased = try await daemon.wfctl("redact", "p-1", "--seq", "1-1201", "--reason", "r")
        #expect(erased.end == .exited(0), "\(erased)")
        let deleted = try await daemon.wfctl("delete", "p-2", "--confirm", "p-2", "--reason", "GDPR-7")
        #expect(deleted.output.hasPrefix("p-2: deleted"), "\(deleted)")
        #expect(try await daemon.stop().end == .exited(0))
        var served = 0
        for step in sample(Array(1...200), every: 3) {
            let folder = try Self.copy(template)
            let faults = try SyncFaults(in: folder)
            try faults.kill(before: step)
            let end = try await Self.restore(in: folder, faults).end
            let start = try Daemon.launch(
                Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]))
            if (try? await start.errorLines(containing: "listening")) != nil {
                served += 1
                let environment = ["WFCTL_ADDRESS": "unix:" + folder.path("wfd.sock")]
                let gone = try await wfctl(["show", "p-2"], environment: environment)
                #expect(gone.errors.contains("There is no instance 'p-2'"), "killed before step \(step)")
                let audit = try await wfctl(["audit"], environment: environment)
                #expect(audit.output.contains("GDPR-7"), "killed before step \(step)")
                let rows = try await wfctl(["history", "p-1", "--limit", "5000"], environment: environment)
                #expect(rows.end == .exited(0) && !rows.output.contains("tok_9"), "killed before step \(step)")
                start.signal(SIGTERM)
            }
            _ = try await start.result()
            if end == .exited(0) { break }
        }
        // Before the first steps and after the last one a daemon serves the file.
        #expect(served > 1)
    }

    /// The log must lose its name, on the disk too, before the new database gets its own.
    @Test(.timeLimit(.minutes(20))) func theFolderIsFlushedBetweenTheLogsRemovalAndTheRename() async throws {
        let folder = try await Self.makeTemplate()
        let faults = try SyncFaults(in: folder)
        #expect(try await Self.restore(in: folder, faults).end == .exited(0))
        #expect(try faults.earlyRenames() == 0)
    }
}
