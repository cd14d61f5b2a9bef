import EngineFloor
import Foundation

/// The figures of whole processes of the command line.
enum CommandFigures {
    static let figures: [Figure] = [
        Figure(
            id: "command.send", title: "wfctl send, the whole process / curl with the same request",
            unit: .milliseconds, goal: .ratioAtMost(2), isQuick: true,
            begin: { setting in try await CommandContest(setting) })
    ]
}

/// `wfctl send` and `curl`, one process each in turn, to the same daemon.
struct CommandContest: Contest {
    private let daemon: ServerProcess
    private let runs: Int
    private let wfctl: [String]
    private let curl: [String]
    /// The latencies of the `curl` processes that took turns with those of the last call of `ours`.
    private var floors = Latencies()

    init(_ setting: Setting) async throws {
        // Some 30 milliseconds for both.
        runs = max(15, Int(setting.seconds / 0.03))
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: 1)
        let data = #"{"amount":250}"#
        wfctl = [
            ServerProcess.directory.appending(path: "wfctl").path, "--address", "unix:\(daemon.socket)", "send", "i-0",
            "flip", "--data", data,
        ]
        curl = [
            try Self.path(of: "curl"), "-sS", "--fail", "--unix-socket", daemon.socket, "-H",
            "Content-Type: application/json", "-d", #"{"event":"flip","data":\#(data)}"#,
            "http://localhost/v1/instances/i-0/events",
        ]
        // Neither side reads its libraries from the disk.
        for command in [wfctl, curl] { _ = try Self.time(command) }
    }

    mutating func ours() async throws -> Sample {
        var times = Latencies()
        floors = Latencies()
        for _ in 0..<runs {
            times.record(try Self.time(wfctl))
            floors.record(try Self.time(curl))
        }
        return Sample(value: times.milliseconds(50), note: "p99 \(times.milliseconds(99).text(1)) ms, \(runs) runs")
    }

    mutating func floor() async throws -> Sample? {
        Sample(value: floors.milliseconds(50), note: "p99 \(floors.milliseconds(99).text(1)) ms, \(runs) runs")
    }

    mutating func end() async throws {
        try daemon.stop()
    }

    /// Returns the nanoseconds from the start of a process to its end.
    private static func time(_ command: [String]) throws -> UInt64 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let begin = nanoseconds()
        let failure = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
        guard failure == 0 else { throw BenchmarkError("'\(command[0])' cannot be started: errno \(failure)") }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        let end = nanoseconds()
        guard status == 0 else { throw BenchmarkError("'\(command[0])' ended with status \(status >> 8)") }
        return end - begin
    }

    private static func path(of program: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = folders.map { "\($0)/\(program)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else {
            throw BenchmarkError("'\(program)' is not installed")
        }
        return path
    }
}
