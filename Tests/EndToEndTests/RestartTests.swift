import DaemonTesting
import Foundation
import JSON
import Testing
import WorkflowAPI
import WorkflowClient

/// What a stop or a kill leaves, and how the next daemon finds it.
@Suite struct RestartTests {
    @Test(.timeLimit(.minutes(1)), arguments: [SIGTERM, SIGINT])
    func aSignalDrains(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let clients = 8
        let acknowledged = try await withThrowingTaskGroup(of: [Int64].self) { group in
            let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
            for client in 0..<clients {
                group.addTask {
                    try await Self.sendUntilRefused(to: daemon, instance: "p-\(client)") { continuation.yield() }
                }
            }
            // In the midst of the sending.
            var answers = 0
            for await _ in progress {
                answers += 1
                if answers == 200 { break }
            }
            let end = try await daemon.stop(signal).end
            #expect(end == .exited(0))
            return try await group.reduce(into: []) { $0.append($1) }.flatMap { $0 }
        }
        #expect(acknowledged.count >= 200)
        // No log, no index, no socket; the lock's file stays, because removing it would race.
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])

        let file = DatabaseFile(daemon.database)
        let rows = try file.number("SELECT count(*) FROM journal WHERE kind = 'event'")
        #expect(rows >= acknowledged.count)
        #expect(rows <= acknowledged.count + clients)
        #expect(try file.number("SELECT clean FROM store") == 1)
        let next = try await Daemon(in: folder)
        #expect(next.program.errors.contains("closed in order"))
        #expect(try await next.stop().end == .exited(0))
    }

    /// Sends events one after another until the daemon takes no more; every answer must be good, or say that it stops.
    private static func sendUntilRefused(
        to daemon: Daemon, instance: String, answered: () -> Void
    ) async throws -> [Int64] {
        try await daemon.withClient { client in
            var acknowledged: [Int64] = []
            do throws(ClientError) {
                _ = try await client.start(StartRequest(machine: "profile", instance: instance))
                while true {
                    let event = acknowledged.count % 2 == 0 ? "succeed" : "retry"
                    acknowledged.append(try await client.send(SendRequest(event: event), to: instance).seq)
                    answered()
                }
            } catch {
                switch error {
                case .problem(let problem): #expect(problem.type == .draining)
                case .unreachable, .answerLost: break
                default: throw error
                }
            }
            // Each answer is one event further: nothing was applied that was not told, and nothing twice.
            #expect(acknowledged.isEmpty || acknowledged == Array(2...Int64(acknowledged.count + 1)))
            return acknowledged
        }
    }

    @Test(.timeLimit(.minutes(1))) func aSecondSignalWhileItDrainsChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        daemon.program.signal(SIGTERM)
        #expect(try await daemon.stop(SIGTERM).end == .exited(0))
        #expect(try folder.names() == ["wfd.db", "wfd.db.lock"])
    }

    @Test(.timeLimit(.minutes(1))) func theSocketOfAKilledDaemonIsReplaced() async throws {
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

    @Test(.timeLimit(.minutes(1))) func aStopEndsRequestsThatWaitForHistory() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let waiting = try await onOwnThread { [address = daemon.address] in
            let connection = try RawConnection(to: address)
            try connection.write(RawRequest.get("/v1/instances/profile/history?after=1&wait=60").bytes)
            return connection
        }
        // Connections are taken in their order: when this one is answered, the other one has begun.
        _ = try await daemon.answer(to: .get("/livez"))
        #expect(try await daemon.stop().end == .exited(0))
        let answer = try await onOwnThread { try waiting.readAnswer() }
        #expect(answer.text == #"{"items":[]}"#)
    }
}
