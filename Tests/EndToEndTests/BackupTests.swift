import DaemonTesting
import Foundation
import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests backups and restores with real processes.
@Suite(.tags(.heavy), .timeLimit(.minutes(20))) struct BackupTests {
    /// Clients that send without a pause, and the answers that they got.
    private final class Load: Sendable {
        private let acknowledged = Mutex<[String: Int64]>([:])
        private let isOver = Mutex(false)

        /// The seq of each instance's last success so far.
        var seqs: [String: Int64] { acknowledged.withLock { $0 } }

        func end() { isOver.withLock { $0 = true } }

        /// Starts an instance and sends to it until the end of the load, or of the daemon.
        func run(_ instance: String, on daemon: Daemon) async throws {
            try await daemon.withClient { client in
                do throws(ClientError) {
                    var seq = try await client.start(StartRequest(machine: "profile", instance: instance)).seq
                    while !isOver.withLock({ $0 }) {
                        acknowledged.withLock { $0[instance] = seq }
                        seq = try await client.send(
                            SendRequest(event: seq % 2 == 1 ? "succeed" : "retry"), to: instance
                        ).seq
                    }
                } catch {
                    guard error.isTransient else { throw error }
                }
            }
        }
    }

    private func restore(_ arguments: String...) async throws -> ProgramResult {
        try await Daemon.launch(["restore"] + arguments).result()
    }

    /// Returns the rows that a restore must not change.
    private func contents(of path: String) throws -> [String] {
        try DatabaseFile(path).dump().filter { !$0.hasPrefix("store:") && !$0.hasPrefix("restoration:") }
    }

    @Test func aBackupMadeUnderLoadIsRestoredAfterAKill() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("profile"))
        let copy = folder.path("copy.db")
        let load = Load()
        let (before, after) = try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 { group.addTask { try await load.run("p-\(number)", on: daemon) } }
            try await eventually("all have come so far") {
                load.seqs.count == 6 && load.seqs.values.allSatisfy { $0 >= 20 }
            }
            let before = load.seqs
            let said = try await daemon.saidInTime("backup", copy)
            #expect(said.hasPrefix("\(copy): ") && said.contains(", 6 instances, "))
            let after = load.seqs
            // The load writes more events, which the backup does not have.
            try await eventually("all have gone on") {
                load.seqs.allSatisfy { $0.value >= (after[$0.key] ?? 0) + 20 }
            }
            let refused = try await restore(copy, "--database", daemon.database)
            #expect(refused.end == .exited(75))
            #expect(
                refused.errors
                    == "error: Cannot open '\(daemon.database)': it is in use by process \(daemon.pid)\n")
            try await daemon.kill()
            try await group.waitForAll()
            return (before, after)
        }
        #expect(try DatabaseFile(copy).integrityCheck() == "ok")

        let restored = try await restore(copy, "--database", daemon.database)
        #expect(restored.end == .exited(0), "\(restored)")
        #expect(restored.output.contains("\n  generation: 2\n"))
        #expect(try contents(of: daemon.database) == contents(of: copy))
        let next = try await Daemon(in: folder)
        for (instance, seq) in before {
            let found = try await next.json("show", instance)["seq"]
            guard case .int(let found) = found else { throw TestingError("no seq of '\(instance)'") }
            #expect((seq...(after[instance] ?? 0) + 1).contains(found))
            #expect(try await next.json("history", instance).elements.count == Int(found))
        }
        #expect(try await next.stop().end == .exited(0))

        // The database that was there is whole, with everything that was acknowledged until the kill.
        let kept = try #require(try folder.names().first { $0.contains(".replaced-") && !$0.hasSuffix("-wal") })
        #expect(restored.output.contains("\n  the database that was there: \(folder.path(kept))"))
        let old = try await Daemon(in: folder, database: kept)
        for (instance, seq) in load.seqs {
            guard case .int(let found) = try await old.json("show", instance)["seq"] else {
                throw TestingError("no seq of '\(instance)'")
            }
            #expect(found >= seq)
        }
        #expect(try await old.stop().end == .exited(0))
    }

    /// A caller that has the last byte of a backup can order the next one, also while the daemon is busy.
    @Test func oneBackupMayFollowAnother() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("profile"))
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 { group.addTask { try await load.run("p-\(number)", on: daemon) } }
            try await daemon.withClient { client in
                for _ in 0..<6 {
                    var name: String?
                    for try await line in try await client.makeBackup() {
                        if case .ready(let backup) = line { name = backup.backup }
                    }
                    for try await _ in try await client.backup(try #require(name)) {}
                }
            }
            load.end()
            try await group.waitForAll()
        }
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func tokensOfBeforeTellWhereTheHistoriesPart() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        _ = try await daemon.said("send", "profile", "succeed")
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.said("send", "profile", "retry")
        _ = try await daemon.said("start", "profile", "later")
        let history = "/v1/instances/profile/history"
        let page = try await daemon.answer(to: .get(history + "?limit=1")).object
        let token = try #require(page["nextPage"]?.string)
        let rows = try await daemon.json("history", "profile").elements
        let cursors = rows.compactMap { $0["cursor"].string }
        let list = try await daemon.answer(to: .get("/v1/instances?limit=1")).object["nextPage"]?.string
        #expect(
            try await daemon.answer(to: .get(history + "?cursor=\(cursors[1])")).object["items"]
                == .array(Array(rows[2...])))
        _ = try await daemon.stop()
        for generation in [2, 3] {
            #expect(try await restore(copy, "--database", daemon.database).end == .exited(0))
            let next = try await Daemon(in: folder)
            let present = try await next.json("history", "profile").elements
            try #require(present.count == 2)
            let question = [history + "?limit=1&page=\(token)", history + "?cursor=\(cursors[2])"]
            for (target, thing) in zip(question, ["page token", "cursor"]) {
                let answer = try await next.answer(to: .get(target))
                #expect(answer.status == 410)
                let problem = try Problem(body: answer.body)
                #expect(problem.type == .generationChanged)
                #expect(
                    problem.detail
                        == "The \(thing) is of generation 1, but a restore made the database generation \(generation): "
                        + "both have the same history until \(present[1]["at"].string ?? ""), which is seq 2 of "
                        + "'profile'; begin again from there")
                let parted = try #require(problem.parted)
                #expect(parted.generation == Int64(generation) && parted.seq == 2)
                #expect(parted.cursor == present[1]["cursor"].string && parted.at?.text == present[1]["at"].string)
                // Reading goes on from that cursor.
                let rest = try await next.answer(to: .get(history + "?cursor=\(parted.cursor ?? "")"))
                #expect(rest.text == #"{"items":[]}"#)
            }
            let answer = try await next.answer(to: .get("/v1/instances?limit=1&page=\(list ?? "")"))
            #expect(answer.status == 410)
            #expect(try Problem(body: answer.body).parted?.seq == nil)
            // A restore takes instances away, too; the old place in their history still has its answer.
            let gone = try await next.answer(to: .get("/v1/instances/later/history?cursor=\(cursors[2])"))
            #expect(gone.status == 410)
            #expect(try await next.stop().end == .exited(0))
        }
    }

    @Test func aDamagedBackupIsRefusedAndTheDatabaseStays() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        _ = try await daemon.said("send", "profile", "succeed", "--data", #"{"note": "a marker to be found"}"#)
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.stop()
        let before = try contents(of: daemon.database)
        #expect(try await restore(copy, "--database", daemon.database, "--dry-run").end == .exited(0))

        var bytes = try Data(contentsOf: URL(filePath: copy))
        let place = try #require(bytes.firstRange(of: Data("a marker".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: URL(filePath: copy))
        let refused = try await restore(copy, "--database", daemon.database)
        #expect(refused.end == .exited(65))
        #expect(
            refused.errors
                == "error: '\(copy)' is damaged: profile, seq 2: the digest does not fit what the row says\n")
        let part = folder.path("part.db")
        try Data(contentsOf: URL(filePath: copy)).dropLast(5_000).write(to: URL(filePath: part))
        let cut = try await restore(part, "--database", daemon.database)
        #expect(cut.end == .exited(65))
        #expect(
            cut.errors == "error: Cannot restore '\(part)': database disk image is malformed (SQLite 11)\n", "\(cut)")
        #expect(try contents(of: daemon.database) == before)
        #expect(try folder.names().allSatisfy { !$0.contains("restoring") && !$0.contains("replaced") })
    }

    @Test(.timeLimit(.minutes(20))) func aRestoreLosesNoKey() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        let first = try await daemon.said("send", "screens", "launch", "--key", "k")
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.said("send", "screens", "start", "--key", "later")
        _ = try await daemon.stop()
        #expect(try await restore(copy, "--database", daemon.database).end == .exited(0))
        daemon = try await Daemon(in: folder)
        #expect(try await daemon.said("send", "screens", "launch", "--key", "k") == first)
        #expect(try await daemon.json("show", "screens")["seq"] == 2)
        // The events after the backup are gone, and their key with them: the event is applied, once.
        for _ in 0..<2 { _ = try await daemon.said("send", "screens", "start", "--key", "later") }
        #expect(try await daemon.json("show", "screens")["seq"] == 3)
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
    }

    @Test(.timeLimit(.minutes(20))) func aDryRunTellsWhatWouldBeLostAndKept() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.said("send", "screens", "launch")
        _ = try await daemon.stop()
        let tried = try await restore(copy, "--database", daemon.database, "--dry-run")
        #expect(tried.end == .exited(0))
        #expect(tried.output.contains("\n  the database that is there would be kept as: \(daemon.database).replaced-"))
        #expect(tried.output.contains("\n  events that only that one has: 1\n"), "\(tried)")
        let restored = try await restore(copy, "--database", daemon.database)
        #expect(restored.output.contains("\n  events that only that one has: 1\n"), "\(restored)")
    }

    @Test(.timeLimit(.minutes(20))) func aCopyForTheVirtualClockTakesNoRealPlace() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        _ = try await daemon.stop()
        let refused = try await restore(copy, "--database", daemon.database, "--clock", "virtual")
        #expect(refused.end == .exited(65))
        #expect(
            refused.errors.hasSuffix(
                "the one is for the virtual clock and the other for the real one; restore it under another name\n"))
        let test = folder.path("test.db")
        #expect(try await restore(copy, "--database", test, "--clock", "virtual").end == .exited(0))
        // The other direction is refused too: made-up times take no real place.
        #expect(try await restore(test, "--database", daemon.database).end == .exited(65))
    }

    @Test func aBackupIsThereOnceAndOneAtATime() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        try await daemon.withClient { client in
            var made: Backup?
            for try await line in try await client.makeBackup() {
                if case .ready(let backup) = line { made = backup }
            }
            let backup = try #require(made)
            let second = await #expect(throws: ClientError.self) { _ = try await client.makeBackup() }
            guard let problem = second?.problem else { throw TestingError("no problem: \(second as Any)") }
            #expect(problem.type == .backupRunning)
            var count: Int64 = 0
            for try await part in try await client.backup(backup.backup) { count += Int64(part.count) }
            #expect(count == backup.bytes)
            let again = await #expect(throws: ClientError.self) { _ = try await client.backup(backup.backup) }
            guard let gone = again?.problem else { throw TestingError("no problem: \(again as Any)") }
            #expect(gone.type == .backupNotFound)
        }
        #expect(try folder.names().allSatisfy { !$0.contains("backup") })
        // A backup that was killed leaves nothing either.
        try await daemon.withClient { client in
            for try await _ in try await client.makeBackup() {}
        }
        #expect(try folder.names().contains { $0.contains(".backup-") })
        try await daemon.kill()
        let next = try await Daemon(in: folder)
        #expect(try folder.names().allSatisfy { !$0.contains("backup") })
        #expect(try await next.stop().end == .exited(0))
    }
}
