import DaemonTesting
import Foundation
import Testing
import WorkflowClient
import WorkflowJSON

/// Tests a daemon whose standard error is a pipe that nobody reads.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct UnreadLogTests {
    /// Starts a daemon that logs into a named pipe, and waits until it answers.
    private func start(in folder: TemporaryFolder, loggingTo pipe: String) async throws -> RunningProgram {
        let socket = folder.path("wfd.sock")
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + socket])
        let program = try RunningProgram(
            "/bin/sh",
            ["-c", #"exec "$0" "$@" 2>"$LOG""#, Programs.path("wfd")] + arguments + ["--log-level", "debug"],
            environment: Programs.environment(["LOG": pipe]))
        try await eventually("the daemon answers") {
            try await onOwnThread {
                guard let connection = try? RawConnection(to: .unix(path: socket)) else { return false }
                return try connection.answer(to: .get("/readyz")).status == 200
            }
        }
        return program
    }

    @Test func eventsGoOnAndTheLogSaysHowMuchIsMissing() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path("log")
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let program = try await start(in: folder, loggingTo: pipe)
        let address = Address.unix(path: folder.path("wfd.sock"))
        let lines = 30_000
        let metrics = try await onOwnThread {
            let connection = try RawConnection(to: address)
            let machine = RawRequest.post("/v1/machines", BatchTests.counter, as: "application/yaml")
            #expect(try connection.answer(to: machine).status == 201)
            let start = #"{"machine": "counter", "instance": "a"}"#
            #expect(try connection.answer(to: .post("/v1/instances", start)).status == 201)
            // Each is a line of the log, and all of them are more than it keeps.
            let event = #"{"instance": "a", "event": "tick"}"# + "\n"
            let batch = RawRequest.post(
                "/v1/events", String(repeating: event, count: lines), as: "application/x-ndjson")
            let writing = Thread { try? connection.write(batch.bytes) }
            writing.start()
            #expect(try connection.readAnswer().status == 200)
            #expect(try connection.answer(to: .get("/readyz")).status == 200)
            let shown = try connection.answer(to: .get("/v1/instances/a")).object["context"]?["n"]
            #expect(shown == .int(Int64(lines)))
            return try connection.answer(to: .get("/metrics")).text
        }
        let counted = try #require(metrics.firstMatch(of: /\nwfd_log_lines_lost_total (\d+)\n/))
        #expect(Int(counted.1).map { $0 > 0 } == true)
        // The log is read again, and says how many lines are missing.
        let log = try await onOwnThread { try Self.read(reader, through: "because nobody read the log") }
        let told = try #require(log.firstMatch(of: /wfd: lines=(\d+) \[wfd\] lines were not logged, because/))
        #expect(Int(told.1).map { $0 > 0 } == true)
        program.signal(SIGTERM)
        #expect(try await program.result().end == .exited(0))
        // The last lines of the daemon are in the pipe.
        let last = try await onOwnThread { try Self.read(reader, through: "stopped") }
        #expect(last.contains("events="))
    }

    @Test func aDaemonWhoseLogNobodyReadsEnds() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path("log")
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        // The pipe is full from the beginning.
        let filling = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(filling) }
        let blank = [UInt8](repeating: 0x20, count: 4_096)
        while write(filling, blank, blank.count) > 0 {}
        let program = try await start(in: folder, loggingTo: pipe)
        program.signal(SIGTERM)
        #expect(try await program.result().end == .exited(0))
    }

    private static func read(_ descriptor: Int32, through text: String) throws -> String {
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw TestingError("the log ends without '\(text)'") }
            read += buffer[..<count]
            // Whole lines; the text may begin in what was read before.
            if buffer[..<count].last == 0x0A, String(decoding: read, as: UTF8.self).contains(text) {
                return String(decoding: read, as: UTF8.self)
            }
        }
    }
}
