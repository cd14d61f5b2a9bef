import DaemonTesting
import Testing
import WorkflowJSON

/// Tests that acknowledged data has been flushed: the daemon's flushes are counted.
@Suite struct FlushCountTests {
    private static func daemon(
        in folder: TemporaryFolder, clients: Int
    ) async throws -> (daemon: Daemon, faults: SyncFaults) {
        let faults = try SyncFaults(in: folder)
        let daemon = try await Daemon(in: folder, environment: faults.environment)
        let applied = try await daemon.wfctl("apply", Programs.example("profile"))
        guard applied.end == .exited(0) else { throw TestingError("\(applied)") }
        for client in 0..<clients {
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "profile", "instance": "p-\#(client)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
        return (daemon, faults)
    }

    /// Sends a number of events one after another over one connection. Throws unless each is accepted.
    private static func send(_ count: Int, from client: Int, to daemon: Daemon) async throws {
        try await onOwnThread { [address = daemon.address] in
            let connection = try RawConnection(to: address)
            for turn in 0..<count {
                let event = turn % 2 == 0 ? "succeed" : "retry"
                let answer = try connection.answer(
                    to: .post("/v1/instances/p-\(client)/events", #"{"event": "\#(event)"}"#))
                guard answer.status == 200 else { throw TestingError(answer.text) }
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func eachOfSeveralEventsInARowIsFlushedBeforeItsAnswer() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder, clients: 1)
        let before = try faults.calls()
        try await Self.send(100, from: 0, to: daemon)
        #expect(try faults.calls() - before >= 100)
    }

    @Test(.timeLimit(.minutes(20))) func underLoadThereIsAFlushForEachBatch() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder, clients: 8)
        let before = try faults.calls()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<8 { group.addTask { try await Self.send(100, from: client, to: daemon) } }
            try await group.waitForAll()
        }
        let flushes = try faults.calls() - before
        let result = try await daemon.stop()
        #expect(result.end == .exited(0))
        // The batches of the load: all, without one for the definition and one for each start.
        let stopped = try #require(result.errors.firstMatch(of: /\bbatches=(\d+)/)?.1)
        let batches = try #require(Int(stopped)) - 9
        print("flushes: \(flushes) for \(batches) batches of 800 events")
        #expect((1...800).contains(batches))
        #expect(flushes >= batches)
    }

    @Test(.timeLimit(.minutes(20))) func whatIsRefusedCostsNoFlush() async throws {
        let folder = try TemporaryFolder()
        let (daemon, faults) = try await Self.daemon(in: folder, clients: 1)
        let before = try faults.calls()
        for _ in 0..<10 {
            let answer = try await daemon.answer(to: .post("/v1/instances/p-0/events", #"{"event": "retry"}"#))
            #expect(answer.status == 409)
        }
        #expect(try faults.calls() == before)
    }

    /// The start of a program is recorded beside the database, without a flush: programs need no more commits than
    /// other effects.
    @Test(.timeLimit(.minutes(20))) func aProgramThatBeginsCostsNoFlush() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        let faults = try SyncFaults(in: folder)
        let arguments =
            ["--exec", "shell=/bin/sh"]
            + Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        let daemon = try await Daemon(arguments: arguments, database: database, environment: faults.environment)
        let script = try folder.write(
            #"echo >\#(folder.path("begun")); until [ -e \#(folder.path("go")) ]; do :; done; echo 1"#,
            to: "waits.sh")
        let definition = """
            id: job
            initial: idle
            states:
              idle: {on: {ping: {}, go: working}}
              working: {invoke: {exec: {program: shell, args: ["'\(script)'"]}, onDone: done}}
              done: {}
            """
        func say(_ arguments: String...) async throws {
            let result = try await daemon.wfctl(arguments)
            guard result.end == .exited(0) else { throw TestingError("\(result)") }
        }
        try await say("apply", folder.write(definition, to: "job.yaml"))
        try await say("start", "job", "j")
        let before = try faults.calls()
        try await say("send", "j", "ping")
        let plain = try faults.calls()
        try await say("send", "j", "go")
        try await eventually("the program to begin") { try folder.names().contains("begun") }
        #expect(try folder.names().contains("wfd.db.begun"))
        #expect(try faults.calls() - plain == plain - before)
        _ = try folder.write("", to: "go")
        try await eventually("the program to end") {
            try await daemon.answer(to: .get("/v1/instances/j")).text.contains(#""configuration":["done"]"#)
        }
        #expect(try faults.calls() - plain > plain - before)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
