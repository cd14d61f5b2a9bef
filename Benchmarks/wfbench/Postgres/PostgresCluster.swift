import EngineFloor
import Foundation

/// A private server of PostgreSQL in a folder, with the settings that it has by itself: every commit is flushed.
///
/// It listens on a unix socket only. A script starts it, and ends it once the other end of the script's input is
/// closed: when this program ends, also if it is killed.
final class PostgresCluster {
    /// The server of this run. Figures are measured one after another, so nobody else uses it.
    nonisolated(unsafe) private static var started: PostgresCluster?

    /// Returns the server of this run, and starts it at the first call.
    ///
    /// - Parameter folder: The folder of a figure; the server gets one beside it.
    static func shared(beside folder: URL) throws -> PostgresCluster {
        if let started { return started }
        let cluster = try PostgresCluster(in: folder.deletingLastPathComponent())
        started = cluster
        return cluster
    }

    /// The filled databases that figures copy, by their content.
    private var templates: [String: String] = [:]
    /// True if PostgreSQL is installed.
    static var isInstalled: Bool { findPrograms() != nil }

    /// The folder of the socket.
    private let folder: URL
    /// The folder of the server's programs.
    private let programs: String
    private let script = Process()
    private let input = Pipe()

    private init(in place: URL) throws {
        guard let programs = Self.findPrograms() else {
            throw BenchmarkError("PostgreSQL is not installed: sudo apt-get install postgresql")
        }
        self.programs = programs
        folder = place.absoluteURL.appending(path: "pg")
        let output = Pipe()
        script.executableURL = URL(filePath: "/bin/bash")
        script.arguments = ["-c", Self.script, "postgres-for-wfbench", programs, folder.path]
        script.standardInput = input
        script.standardOutput = output
        // No other program of the run may keep the script's input open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try script.run()
        var answer: [UInt8] = []
        var byte: UInt8 = 0
        while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            answer.append(byte)
        }
        let line = String(decoding: answer, as: UTF8.self)
        guard line == "ready" else { throw BenchmarkError("PostgreSQL does not start: \(line)") }
    }

    /// Returns the URL of a database.
    func url(_ database: String) -> String { "postgres:///\(database)?user=wfd&host=\(folder.path)" }

    /// Returns the name of a filled database to which nobody is connected.
    ///
    /// - Parameters:
    ///   - content: A text that is the same for the same content.
    ///   - fill: Fills an empty database of a name, at the first call for the content.
    func template(_ content: String, fill: (_ name: String) async throws -> Void) async throws -> String {
        if let known = templates[content] { return known }
        let name = "template_\(templates.count)"
        try run("CREATE DATABASE \(name)", in: "postgres")
        try await fill(name)
        // The cost of cleaning up later would fall on either side.
        try run("VACUUM (ANALYZE)", in: name)
        templates[content] = name
        return name
    }

    /// Makes a copy of a database to which nobody is connected, in place of an earlier one of the same name.
    func copy(_ database: String, to name: String) throws {
        try run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", in: "postgres")
        try run("CREATE DATABASE \(name) TEMPLATE \(database)", in: "postgres")
    }

    /// Runs SQL in a database, and returns the lines of its output.
    @discardableResult
    func run(_ sql: String, in database: String) throws -> [String] {
        let (output, errors, process) = (Pipe(), Pipe(), Process())
        process.executableURL = URL(filePath: programs + "/psql")
        process.arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", sql]
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("psql: \(error)") }
        return text.split(separator: "\n").map(String.init)
    }

    /// The server's log so far.
    func log() throws -> String { try String(contentsOf: folder.appending(path: "log"), encoding: .utf8) }

    /// Returns the folder of the server's programs; `nil` if there is none.
    private static func findPrograms() -> String? {
        let place = "/usr/lib/postgresql"
        // A system without the folder has the programs in the path, or nowhere.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let folders = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(place)/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    /// The server refuses to run as root. Row locks need as many connections as clients.
    private static let script = #"""
        set -u
        programs=$1 folder=$2
        trap '' INT TERM HUP
        as() { "$@"; }
        mkdir -m 711 "$folder"
        if [ "$(id -u)" -eq 0 ]; then
            as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
            chown postgres:postgres "$folder"
        fi
        cd "$folder"
        {
            as "$programs/initdb" -D "$folder/data" -U wfd -A trust -E UTF8 --locale=C.UTF-8 --no-instructions &&
                as "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/log" -o "-c listen_addresses='' \
                    -c unix_socket_directories='$folder' -c max_connections=150" start
        } >"$folder/begin" 2>&1 </dev/null && echo ready || { tail -n 3 "$folder/begin" | tr '\n' ' '; echo; }
        server=$(head -n 1 "$folder/data/postmaster.pid")
        read -r _
        # By its number, because the folder may be gone.
        kill -QUIT "$server"
        rm -rf "$folder"
        """#
}

// MARK: Computing time

extension PostgresCluster {
    /// Returns the computing time of all processes of the server so far, in seconds: of those that run, and of those
    /// that ended (proc_pid_stat(5)).
    func computed() throws -> Double {
        let text = try String(contentsOf: folder.appending(path: "data/postmaster.pid"), encoding: .utf8)
        guard let server = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw BenchmarkError("cannot read the number of the server's process")
        }
        var ticks = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = Int(name), let stat = Self.stat(of: process), stat.count > 14 else { continue }
            if process == server { ticks += stat[11...14].reduce(0, +) }
            if stat[1] == server { ticks += stat[11] + stat[12] }
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the numbers behind the name of a process, the first of which is its state; `nil` if it has ended.
    private static func stat(of process: Int) -> [Int]? {
        // A process may end at any time.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        // The name stands in brackets and may have blanks.
        return text.split(separator: ")").last?.split(separator: " ").map { Int($0) ?? 0 }
    }
}
