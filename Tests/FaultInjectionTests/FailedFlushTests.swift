import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests flushes that fail: nobody is told more than is known.
@Suite struct FailedFlushTests {
    private static let start = #"{"machine": "profile", "instance": "p"}"#

    /// Starts a daemon whose flushes can be made to fail, with the machine `profile`.
    private static func daemon(
        in folder: TemporaryFolder
    ) async throws -> (daemon: Daemon, faults: SyncFaults) {
        let faults = try SyncFaults(in: folder)
        let daemon = try await Daemon(in: folder, environment: faults.environment)
        let applied = try await daemon.wfctl("apply", Programs.example("profile"))
        guard applied.end == .exited(0) else { throw TestingError("\(applied)") }
        return (daemon, faults)
    }

    @Test(.timeLimit(.minutes(20))) func afterAFailedFlushOfACommitItsOutcomeIsUnknownAndTheDaemonEnds() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder)
        #expect(try await daemon.answer(to: .post("/v1/instances", Self.start)).status == 201)
        try faults.fail(.log)
        let answer = try await daemon.answer(to: .post("/v1/instances/p/events", #"{"event": "succeed"}"#))
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        let problem = try answer.object
        #expect(problem["type"] == "outcome-unknown")
        #expect(
            problem["detail"]
                == .string(
                    "The commit failed and its outcome is unknown: after a restart the change may be there or not; "
                        + "send again with the same key"))
        let result = try await daemon.program.result()
        #expect(result.end == .exited(74))
        #expect(result.errors.contains("failed in a way that leaves open what is on the disk"))
        // After the first one nothing was tried again: a second flush could succeed without having written anything.
        #expect(try faults.failures() == 1)

        let next = try await Daemon(in: folder)
        let file = DatabaseFile(next.database)
        #expect((1...2).contains(try file.number("SELECT seq FROM instance")))
        #expect(try file.number("SELECT count(*) FROM journal") == file.number("SELECT seq FROM instance"))
        #expect(try file.integrityCheck() == "ok")
        #expect(try await next.stop().end == .exited(0))
    }

    /// The second name of the log cannot be removed, neither when the daemon ends nor at the next start.
    @Test(.timeLimit(.minutes(20))) func aStartThatFailsOnTheHeldLogLeavesAFileThatWasClosedInOrder() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder)
        #expect(try await daemon.answer(to: .post("/v1/instances", Self.start)).status == 201)
        try faults.fail(.held)
        #expect(try await daemon.stop().end == .exited(0))
        #expect(try folder.names().contains("wfd.db.held-wal"))
        let failed = try await Daemon.launch(
            Daemon.arguments(database: daemon.database, listen: ["unix:" + folder.path("wfd.sock")]),
            environment: faults.environment
        ).result()
        #expect(failed.end == .exited(74) && failed.errors.contains("held-wal"), "\(failed)")
        #expect(try faults.failures() >= 2)
        let next = try await Daemon(in: folder)
        #expect(try await next.answer(to: .get("/v1/instances/p")).status == 200)
        #expect(try await next.stop().end == .exited(0))
        #expect(try !folder.names().contains("wfd.db.held-wal"))
    }

    @Test(.timeLimit(.minutes(20))) func underLoadNobodyIsToldThatWhatMayBeThereIsNot() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder)
        let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
        let ends = try await withThrowingTaskGroup(of: Sending.self) { group in
            for client in 0..<8 {
                group.addTask { try await Sending.run(daemon, instance: "p-\(client)") { continuation.yield() } }
            }
            var answers = 0
            for await _ in progress {
                answers += 1
                if answers == 100 { break }
            }
            try faults.fail(.log)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await daemon.program.result().end == .exited(74))
        #expect(ends.contains { $0.last == .outcomeUnknown })

        let next = try await Daemon(in: folder)
        let file = DatabaseFile(next.database)
        for end in ends {
            let instance = "(SELECT id FROM instance WHERE name = '\(end.instance)')"
            let rows = try file.number("SELECT count(*) FROM journal WHERE instance_id = \(instance)")
            #expect(try file.number("SELECT max(seq) FROM journal WHERE instance_id = \(instance)") == rows)
            // Every acknowledged event is there. The last event may be too, unless its client was told that it is not.
            let mayBeThere = end.last == .storageUnavailable ? 0 : 1
            #expect((end.acknowledged...end.acknowledged + Int64(mayBeThere)).contains(rows), "\(end)")
        }
        #expect(try file.integrityCheck() == "ok")
    }

    /// The answers to one client, up to the first that is not a success.
    private struct Sending {
        let instance: String
        /// The seq of the last success.
        var acknowledged: Int64 = 0
        /// The problem of the last answer; `nil` if no answer came.
        var last: ProblemType?

        static func run(_ daemon: Daemon, instance: String, answered: () -> Void) async throws -> Sending {
            try await daemon.withClient { client in
                var sending = Sending(instance: instance)
                do throws(ClientError) {
                    let request = StartRequest(machine: "profile", instance: instance)
                    sending.acknowledged = try await client.start(request).seq
                    while true {
                        let event = sending.acknowledged % 2 == 1 ? "succeed" : "retry"
                        sending.acknowledged = try await client.send(SendRequest(event: event), to: instance).seq
                        answered()
                    }
                } catch {
                    guard let problem = error.problem else { return sending }
                    sending.last = problem.type
                }
                return sending
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func aFailedFlushAtStartEndsTheStartAndLosesNothing() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder)
        #expect(try await daemon.answer(to: .post("/v1/instances", Self.start)).status == 201)
        try await daemon.kill()
        try faults.fail(.all)
        let failed = try await Daemon.launch(
            Daemon.arguments(database: daemon.database, listen: ["unix:" + folder.path("wfd.sock")]),
            environment: faults.environment
        ).result()
        #expect(failed.end == .exited(74))
        #expect(failed.errors.contains("Cannot open '\(daemon.database)': disk I/O error"))
        #expect(try faults.failures() >= 1)
        let next = try await Daemon(in: folder)
        #expect(try await next.answer(to: .get("/v1/instances/p")).status == 200)
    }

    @Test(.timeLimit(.minutes(20))) func aFailedFlushAtTheStopIsNoCleanStopAndLosesNothing() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder)
        #expect(try await daemon.answer(to: .post("/v1/instances", Self.start)).status == 201)
        try faults.fail(.all)
        #expect(try await daemon.stop().end == .exited(74))
        let next = try await Daemon(in: folder)
        #expect(try await next.answer(to: .get("/v1/instances/p")).status == 200)
        #expect(try await next.stop().end == .exited(0))
    }
}
