import EngineFloor
import Foundation

/// A server under load, in a separate process, over a unix socket.
final class ServerProcess {
    let socket: String
    /// The path of the database; `nil` for a server without a file.
    let database: String?
    private let process = Process()

    /// Starts the `wfd` beside this program, on a separate database, and waits until it listens.
    ///
    /// - Parameter more: Arguments in addition to the usual ones.
    static func daemon(in folder: URL, name: String = "wfd", more: [String] = []) async throws -> ServerProcess {
        let socket = folder.appending(path: "\(name).sock").path
        let database = folder.appending(path: "\(name).db").path
        return try await ServerProcess(
            program: Self.directory.appending(path: "wfd"),
            arguments: ["--database", database, "--listen", "unix:\(socket)", "--log-level", "warning"] + more,
            socket: socket, database: database)
    }

    /// Starts the `wfd` beside this program on a database of PostgreSQL, and waits until it listens.
    static func daemon(at url: String, in folder: URL, name: String = "wfd") async throws -> ServerProcess {
        let socket = folder.appending(path: "\(name).sock").path
        return try await ServerProcess(
            program: Self.directory.appending(path: "wfd"),
            arguments: ["--database", url, "--listen", "unix:\(socket)", "--peer", "127.0.0.1:0"]
                + ["--log-level", "warning"],
            socket: socket, database: nil)
    }

    /// Starts the same server without an engine, and waits until it listens.
    static func empty(in folder: URL) async throws -> ServerProcess {
        let socket = folder.appending(path: "empty.sock").path
        return try await ServerProcess(
            program: Self.program, arguments: ["serve-empty", "--listen", "unix:\(socket)"], socket: socket,
            database: nil)
    }

    /// Starts a service for the calls of effects, and waits until it listens.
    static func calls(in folder: URL) async throws -> ServerProcess {
        let socket = folder.appending(path: "calls.sock").path
        return try await ServerProcess(
            program: Self.program, arguments: ["serve-calls", "--control", socket], socket: socket, database: nil)
    }

    private init(program: URL, arguments: [String], socket: String, database: String?) async throws {
        self.socket = socket
        self.database = database
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError("'\(program.path)' is missing: build it with 'make bench'")
        }
        process.executableURL = program
        process.arguments = arguments
        try process.run()
        Interruption.began(process.processIdentifier)
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            if let connection = try? LoadConnection(socket: socket) {
                connection.close()
                return
            }
            guard .now < deadline, process.isRunning else {
                throw BenchmarkError("'\(program.path)' did not start to listen on '\(socket)'")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    deinit {
        // A contest that fails cannot stop its server.
        if process.isRunning { kill() }
    }

    /// Stops the process properly, and waits for its end.
    func stop() throws {
        process.terminate()
        process.waitUntilExit()
        Interruption.ended(process.processIdentifier)
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("the server of '\(socket)' ended with status \(process.terminationStatus)")
        }
    }

    /// Kills the process, as a crash would.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        Interruption.ended(process.processIdentifier)
    }

    /// Returns the memory of the process's own (`RssAnon` of proc_pid_status(5)), in whole MiB.
    func anonymousMiB() throws -> Int { try anonymousKiB() / 1_024 }

    /// Returns the memory of the process's own (`RssAnon` of proc_pid_status(5)), in KiB.
    func anonymousKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Returns the computing time of all its threads, in seconds (`utime` and `stime` of proc_pid_stat(5)).
    func computed() throws -> Double {
        let stat = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        // The name stands in brackets and may have blanks.
        let fields = stat.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchmarkError("cannot read for how long '\(socket)' has computed")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The path of this program.
    private static var program: URL {
        // Linux tells it whatever the shell called it (proc_pid_exe(5)).
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: path ?? CommandLine.arguments[0])
    }

    /// The folder of this program and of those that are built with it.
    static var directory: URL { program.deletingLastPathComponent() }
}
