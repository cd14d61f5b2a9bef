import DaemonTesting
import Foundation
import Synchronization
import Testing
import WorkflowJSON

/// Tests the daemon on one processor, on which Swift's pool has one thread. Calls that block for long have other
/// threads. Meanwhile the daemon takes the end of a program, streams rows, and answers a poll for tasks.
@Suite(.timeLimit(.minutes(20))) struct OneProcessorTests {
    private static let machine = """
        id: job
        initial: idle
        states:
          idle:
            on: {fill: idle, weigh: weighing, ask: asking, pay: paying, find: finding, wait: waiting, stay: staying}
          weighing: {invoke: {exec: weigh, onDone: weighed}}
          weighed: {}
          asking: {invoke: {task: stock, onDone: weighed}}
          paying:
            invoke:
              http: {url: "http://127.0.0.1:9/", secretHeaders: {Authorization: "Bearer {pay}"}, attemptTimeout: 1h}
          finding: {invoke: {http: {url: "https://held.example/", attemptTimeout: 1h}}}
          waiting: {invoke: {exec: late}}
          staying: {invoke: {exec: {program: stubborn, attemptTimeout: 100ms}, retry: {attempts: unlimited, first: 1ms}}}
        """

    /// The instances whose effects block, which are also the events that lead there.
    private static let held = ["pay", "find", "wait", "stay"]

    /// A daemon on one processor, and its surroundings.
    private struct Stage {
        let folder: TemporaryFolder
        let holds: Holds
        let daemon: Daemon
        /// A connection that is used before the pool is held, because a new one would wait for the pool.
        private let connection: RawConnection

        /// - Parameter call: The call to hold from the start on: names of users are looked up once.
        init(holding call: Holds.Call? = nil) async throws {
            folder = try TemporaryFolder()
            holds = try Holds(in: folder)
            if let call { try holds.shut(call) }
            let secrets = try folder.makeFolder("secrets")
            // A reader of the pipe waits for somebody who writes.
            try #require(mkfifo(secrets + "/pay", 0o600) == 0)
            var options = ["--allow-http", "127.0.0.0/8", "--secrets", secrets]
            let scripts = [
                "weigh": "echo 7", "late": "echo 1",
                "stubborn": "trap '' TERM; while [ -e \"$0\" ]; do tail -f /dev/null; done",
            ]
            for (name, script) in scripts {
                let path = try folder.write("#!/bin/sh\n\(script)\n", to: name)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
                options += ["--exec", "\(name)=\(path)"]
            }
            daemon = try await Daemon(
                arguments: Daemon.arguments(
                    database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]) + options,
                database: folder.path("wfd.db"), environment: try holds.environment, processor: 0)
            connection = try await onOwnThread { [daemon] in
                let connection = try RawConnection(to: daemon.address)
                _ = try connection.answer(to: .get("/livez"))
                return connection
            }
            let definition = try folder.write(OneProcessorTests.machine, to: "job.yaml")
            #expect(try await daemon.wfctl("apply", definition).end == .exited(0))
            for name in ["weigh", "ask", "fill"] + OneProcessorTests.held {
                #expect(try await daemon.wfctl("start", "job", name).end == .exited(0))
            }
        }

        /// Sends an event to the instance of the same name.
        func send(_ event: String, data: String = "null") async throws {
            let request = RawRequest.post(
                "/v1/instances/\(event)/events", #"{"event": "\#(event)", "data": \#(data)}"#)
            let answer = try await onOwnThread { [connection] in try connection.answer(to: request) }
            #expect(answer.status == 200, "\(answer.text)")
        }

        /// Expects, on the connection for events, that the daemon is alive.
        func expectLife() async throws {
            let answer = try await onOwnThread { [connection] in try connection.answer(to: .get("/livez")) }
            #expect(answer.status == 200)
        }

        /// Returns the number of rows of an event.
        func rows(_ event: String) throws -> Int64 {
            try DatabaseFile(daemon.database).number("SELECT count(*) FROM journal WHERE event = '\(event)'")
        }

        /// Returns true if the daemon is making attempts for all of some instances.
        func isActing(for instances: [String]) async throws -> Bool {
            for name in instances {
                let answer = try await daemon.answer(to: .get("/v1/effects?instance=\(name)"))
                guard answer.text.contains(#""turn":"running""#) else { return false }
            }
            return true
        }
    }

    /// A reader of the stream and a worker that waits for a task; records what they get.
    private final class Callers: Sendable {
        let come = Mutex<Set<String>>([])
        private let stream: EventReader
        private let poll: RawConnection

        init(of daemon: Daemon) async throws {
            (stream, poll) = try await onOwnThread { [address = daemon.address] in
                let stream = try EventReader("/v1/stream", of: address)
                let poll = try RawConnection(to: address)
                try poll.write(RawRequest.post("/v1/tasks/stock/lease", #"{"wait": 60}"#).bytes)
                return (stream, poll)
            }
        }

        /// Reads the row of a program's end.
        func readRow() async throws {
            try await onOwnThread { [self] in
                while let message = try stream.nextEvent() {
                    if message.data?.contains("done.invoke.weighing") == true { break }
                }
                come.withLock { _ = $0.insert("row") }
            }
        }

        /// Reads the task that a worker waits for.
        func readTask(of daemon: Daemon) async throws {
            try await onOwnThread { [self] in
                var answer = try poll.readAnswer()
                while try answer.object["tasks"] == .array([]) {
                    answer = try poll.answer(to: .post("/v1/tasks/stock/lease", #"{"wait": 60}"#))
                }
                #expect(answer.text.contains(#""instance":"ask""#), "\(answer.text)")
                come.withLock { _ = $0.insert("task") }
            }
        }
    }

    @Test func whatBlocksKeepsNothingElseFromGoingOn() async throws {
        let stage = try await Stage(holding: .names)
        // There are more rows than a connection takes whose caller does not read.
        for _ in 0..<60 { try await stage.send("fill", data: "\"\(String(repeating: "x", count: 100_000))\"") }
        let idle = try await onOwnThread { [address = stage.daemon.address] in
            let idle = try RawConnection(to: address)
            try idle.write(RawRequest.get("/v1/stream?after=start").bytes)
            return idle
        }
        for call in Holds.Call.allCases where call != .pool { try stage.holds.shut(call) }
        for name in Self.held { try await stage.send(name) }
        async let backup = stage.daemon.wfctl("backup", stage.folder.path("copy.db"))
        try await eventually("all are held") {
            let isActing = try await stage.isActing(for: Self.held)
            return isActing && Holds.Call.allCases.allSatisfy { stage.holds.isHeld($0) != ($0 == .pool) }
        }

        let callers = try await Callers(of: stage.daemon)
        async let row: Void = callers.readRow()
        async let task: Void = callers.readTask(of: stage.daemon)
        try await stage.send("weigh")
        try await stage.send("ask")
        _ = try await (row, task)
        #expect(try stage.rows("done.invoke.weighing") == 1)
        // They were held all the time; the program that does not end is started again and again.
        #expect(try await stage.isActing(for: ["pay", "find", "wait"]))

        for call in Holds.Call.allCases where call != .pool { try stage.holds.open(call) }
        #expect(try await backup.end == .exited(0))
        withExtendedLifetime(idle) {}
        try await stage.daemon.kill()
    }

    /// Proves that the test above can fail: a task that blocks the pool keeps all of them waiting.
    @Test func whatBlocksThePoolIsFoundOut() async throws {
        let stage = try await Stage()
        let callers = try await Callers(of: stage.daemon)
        async let row: Void = callers.readRow()
        async let task: Void = callers.readTask(of: stage.daemon)
        try stage.holds.shut(.pool)
        try await eventually("the pool is held") { stage.holds.isHeld(.pool) }
        // Event loops and the writer are not of the pool. What was asked has reached them long before it is looked.
        try await stage.send("weigh")
        try await stage.send("ask")
        for _ in 0..<20 { try await stage.expectLife() }
        try await letPass(.seconds(2))
        #expect(try stage.rows("done.invoke.weighing") == 0)
        #expect(callers.come.withLock { $0 } == [])
        try stage.holds.open(.pool)
        _ = try await (row, task)
        #expect(try stage.rows("done.invoke.weighing") == 1)
        #expect(try await stage.daemon.stop().end == .exited(0))
    }
}
