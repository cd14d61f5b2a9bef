import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests the state after a stop or a kill, and the start of the next daemon.
@Suite struct RestartTests {
    @Test(.timeLimit(.minutes(20)), arguments: [SIGTERM, SIGINT])
    func aSignalDrains(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let sendings = try await withThrowingTaskGroup(of: Sending.self) { group in
            let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
            for client in 0..<8 {
                group.addTask { try await Sending.run(daemon, instance: "p-\(client)") { continuation.yield() } }
            }
            // The stop comes in the midst of the sending.
            var answers = 0
            for await _ in progress {
                answers += 1
                if answers == 200 { break }
            }
            let end = try await daemon.stop(signal).end
            #expect(end == .exited(0))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // No log, no index, no socket; the lock's file stays, because removing it would race.
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])

        try Self.expect(sendings, in: daemon.database)
        let next = try await Daemon(in: folder)
        #expect(next.program.errors.contains("closed in order"))
        #expect(try await next.stop().end == .exited(0))
    }

    /// Expects that a properly closed file has the rows that clients were told, and no others.
    private static func expect(_ sendings: [Sending], in database: String) throws {
        let file = DatabaseFile(database)
        for sending in sendings {
            let instance = "(SELECT id FROM instance WHERE name = '\(sending.instance)')"
            let rows = try file.number("SELECT count(*) FROM journal WHERE instance_id = \(instance)")
            #expect(try file.number("SELECT max(seq) FROM journal WHERE instance_id = \(instance)") == rows)
            // There may be one row more, but only if the last answer did not come through.
            #expect((sending.acknowledged...sending.acknowledged + (sending.isLastKnown ? 0 : 1)).contains(rows))
        }
        #expect(try file.number("SELECT clean FROM store") == 1)
    }

    /// The answers to one client before the daemon accepted no more.
    private struct Sending {
        let instance: String
        /// The seq of the last success.
        var acknowledged: Int64 = 0
        /// True if the daemon reported that it stops, or was gone: then the last event was not accepted.
        var isLastKnown = true

        /// Sends events one after another until the daemon stops; each answer must be the next seq.
        static func run(_ daemon: Daemon, instance: String, answered: () -> Void) async throws -> Sending {
            try await daemon.withClient { client in
                var sending = Sending(instance: instance)
                do throws(ClientError) {
                    sending.acknowledged = try await client.start(
                        StartRequest(machine: "profile", instance: instance)
                    ).seq
                    while true {
                        let event = sending.acknowledged % 2 == 1 ? "succeed" : "retry"
                        let seq = try await client.send(SendRequest(event: event), to: instance).seq
                        #expect(seq == sending.acknowledged + 1)
                        sending.acknowledged = seq
                        answered()
                    }
                } catch {
                    switch error.code {
                    case .problem: #expect(error.problem?.type == .draining)
                    case .unreachable: break
                    case .answerLost: sending.isLastKnown = false
                    default: throw error
                    }
                }
                return sending
            }
        }
    }

    /// Half a request delays the end, so the second signal comes while the daemon drains.
    @Test(.timeLimit(.minutes(20)), arguments: [SIGTERM, SIGINT])
    func aSecondSignalWhileItDrainsChangesNothing(second: Int32) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let bytes = RawRequest.post("/v1/instances/profile/events", #"{"event": "succeed"}"#).bytes
        let (half, idle) = try await onOwnThread { [address = daemon.address] in
            let (half, idle) = (try RawConnection(to: address), try RawConnection(to: address))
            try half.write(Array(bytes.dropLast(5)))
            _ = try idle.answer(to: .get("/livez"))
            return (half, idle)
        }
        let sendings = try await withThrowingTaskGroup(of: Sending.self) { group in
            let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
            for client in 0..<4 {
                group.addTask { try await Sending.run(daemon, instance: "p-\(client)") { continuation.yield() } }
            }
            var answers = 0
            for await _ in progress {
                answers += 1
                if answers == 100 { break }
            }
            daemon.program.signal(SIGTERM)
            // A connection with nothing to send is told at once that the daemon stops.
            #expect(try await onOwnThread { idle.isAtEnd })
            daemon.program.signal(second)
            let answer = try await onOwnThread {
                try half.write(Array(bytes.suffix(5)))
                return try half.readAnswer()
            }
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await daemon.program.result().end == .exited(0))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
        try Self.expect(sendings + [Sending(instance: "profile", acknowledged: 2)], in: daemon.database)
    }

    /// A person looks at the tables after a crash. The last process that closes a database moves its log into it.
    @Test(.timeLimit(.minutes(20))) func whoLooksAtTheTablesAfterAKillLocksNobodyOut() async throws {
        let folder = try TemporaryFolder()
        let killed = try await Daemon(in: folder)
        try await killed.begin("profile")
        try await killed.kill()
        #expect(try folder.names().contains("wfd.db-wal"))
        let queue = try DatabaseQueue(path: killed.database)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } == 1)
        try queue.close()
        #expect(try !folder.names().contains("wfd.db-wal"))
        let daemon = try await Daemon(in: folder)
        #expect(
            daemon.program.errors.contains("not closed in order, its log moved into it by another program, schema "))
        #expect(try await daemon.json("show", "profile")["seq"] == 1)
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    @Test(.timeLimit(.minutes(20))) func aLogThatWasRemovedAfterAKillIsMissedAndCanBePutBack() async throws {
        let folder = try TemporaryFolder()
        let killed = try await Daemon(in: folder)
        try await killed.begin("profile")
        try await killed.kill()
        try FileManager.default.removeItem(atPath: folder.path("wfd.db-wal"))
        let refused = try await Daemon.launch(
            Daemon.arguments(database: killed.database, listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(refused.end == .exited(65))
        #expect(refused.errors.contains("rename '\(killed.database).held-wal', which is that log, to it"))
        try FileManager.default.moveItem(
            atPath: folder.path("wfd.db.held-wal"), toPath: folder.path("wfd.db-wal"))
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.json("show", "profile")["seq"] == 1)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aDamagedLogIsToldAtStart() async throws {
        let folder = try TemporaryFolder()
        let killed = try await Daemon(in: folder)
        try await killed.begin("profile")
        for number in 2...3 { _ = try await killed.said("start", "profile", "profile-\(number)") }
        try await killed.kill()
        let log = folder.path("wfd.db-wal")
        var bytes = try Data(contentsOf: URL(filePath: log))
        bytes[32 + 24 + 100] ^= 1
        try bytes.write(to: URL(filePath: log))
        let daemon = try await Daemon(in: folder)
        let line = try await daemon.program.errorLines(containing: " warning wfd: ")[0]
        let frames = (bytes.count - 32) / (24 + 4_096)
        #expect(
            line.contains("the write-ahead log has \(frames) frames up to its last commit, and 0 of them could be used")
        )
        #expect(line.contains("it was damaged, and answered events are lost: restore a backup, or go on without them"))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func theSocketOfAKilledDaemonIsReplaced() async throws {
        let folder = try TemporaryFolder()
        let killed = try await Daemon(in: folder)
        try await killed.begin("profile")
        try await killed.kill()
        #expect(try folder.names().contains("wfd.sock"))
        let daemon = try await Daemon(in: folder)
        #expect(daemon.program.errors.contains("not closed in order"))
        #expect(try await daemon.json("show", "profile")["seq"] == 1)
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    @Test(.timeLimit(.minutes(20))) func aStopDoesNotWaitForThoseWhoWaitForHistory() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let waiting = try await onOwnThread { [address = daemon.address] in
            func connections() throws -> [RawConnection] {
                try (0..<8).map { _ in
                    let connection = try RawConnection(to: address)
                    _ = try connection.answer(to: .get("/livez"))
                    return connection
                }
            }
            let waiting = try connections()
            for connection in waiting {
                try connection.write(RawRequest.get("/v1/instances/profile/history?after=1&wait=60").bytes)
            }
            // The thread that a request came to has answered others since, whichever it was.
            for _ in 0..<4 { _ = try connections() }
            return waiting
        }
        daemon.program.signal(SIGTERM)
        #expect(try await daemon.program.result().end == .exited(0))
        let answers = try await onOwnThread { try waiting.map { try $0.readAnswer().text } }
        #expect(answers == waiting.map { _ in #"{"items":[]}"# })
    }
}
