import Foundation
import Synchronization
import ThreadTesting

/// A private server of PostgreSQL in a temporary folder, for all tests of a run.
///
/// It listens on a unix socket only. A script starts it, makes databases, and ends it once the other end of the
/// script's input is closed: also when the run is killed.
package final class PostgresServer: Sendable {
    /// The server of this run; `nil` if PostgreSQL is not installed.
    package static let shared: PostgresServer? = {
        guard let programs = findPrograms() else {
            print("PostgreSQL is not installed (initdb is missing): its suites are skipped")
            return nil
        }
        do {
            return try PostgresServer(programs)
        } catch {
            print("PostgreSQL does not start: \(error)")
            return nil
        }
    }()

    /// True if suites of PostgreSQL run: it is installed, or a run of CI must have it.
    package static var isWanted: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || findPrograms() != nil
    }

    /// The folder of the socket.
    package let folder: String
    /// The number in the name of the socket.
    package let port = 5432
    private let channel: Mutex<Channel>
    /// The folder of the server's programs.
    private let programs: String

    /// The script's input and output.
    private struct Channel {
        let input: FileHandle
        let output: FileHandle
        var databases = 0

        /// Reads a line of the script.
        func line() throws -> String {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while read(output.fileDescriptor, &byte, 1) == 1 {
                if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(byte)
            }
            throw TestingError("the script of the server ended: \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private init(_ programs: String) throws {
        requireOwnThread()
        self.programs = programs
        folder = NSTemporaryDirectory() + "wfd-pg-" + UUID().uuidString.prefix(8)
        let (input, output, process) = (Pipe(), Pipe(), Process())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", Self.script, "postgres-for-tests", programs, folder, "\(port)"]
        process.standardInput = input
        process.standardOutput = output
        // No other program of the run may keep the script's input open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
        let channel = Channel(input: input.fileHandleForWriting, output: output.fileHandleForReading)
        self.channel = Mutex(channel)
        let line = try channel.line()
        guard line == "ready" else { throw TestingError(line) }
    }

    /// Makes a database and returns its name.
    ///
    /// - Parameter template: The name of the database that is copied.
    package func database(from template: String = "template1") throws -> String {
        requireOwnThread()
        return try channel.withLock { channel in
            channel.databases += 1
            let name = "check_\(channel.databases)"
            try channel.input.write(contentsOf: Data("\(name) \(template)\n".utf8))
            let line = try channel.line()
            guard line == "made" else { throw TestingError("database '\(name)': \(line)") }
            return name
        }
    }

    /// Runs SQL in a database, and returns the lines of its output.
    package func run(_ sql: String, in url: String) throws -> [String] {
        requireOwnThread()
        let (output, errors, process) = (Pipe(), Pipe(), Process())
        process.executableURL = URL(fileURLWithPath: programs + "/psql")
        process.arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql]
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestingError("psql: \(error)") }
        return text.split(separator: "\n").map(String.init)
    }

    /// Returns the URL of a database by its socket, or by a port of this machine.
    package func url(_ database: String, port: Int? = nil) -> String {
        guard let port else { return "postgres:///\(database)?user=wfd&host=\(folder)&port=\(self.port)" }
        return "postgres://wfd@127.0.0.1:\(port)/\(database)?sslmode=disable&gssencmode=disable"
    }

    /// The path of the server's socket.
    package var socket: String { "\(folder)/.s.PGSQL.\(port)" }

    /// Returns the folder of the server's programs; `nil` if there is none.
    private static func findPrograms() -> String? {
        let folders =
            ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    private static let script = #"""
        set -u
        programs=$1 folder=$2 port=$3
        trap '' INT TERM HUP
        as() { "$@"; }
        mkdir -m 700 "$folder"
        if [ "$(id -u)" -eq 0 ]; then
            as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
            chown postgres:postgres "$folder"
        fi
        cd "$folder"
        {
            as "$programs/initdb" -D "$folder/data" -U wfd -A trust -E UTF8 --locale=C.UTF-8 --no-instructions &&
                as "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/log" -o "-c listen_addresses='' -c port=$port \
                    -c unix_socket_directories='$folder' -c shared_buffers=64MB -c max_connections=100" start
        } >"$folder/begin" 2>&1 </dev/null && echo ready || tail -n 3 "$folder/begin" | tr '\n' ' '
        while read -r name template; do
            as "$programs/createdb" -h "$folder" -p "$port" -U wfd -T "$template" "$name" 2>&1 </dev/null | tail -n 1 |
                tr '\n' ' '
            [ "${PIPESTATUS[0]}" -eq 0 ] && echo made || echo failed
        done
        as "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
        rm -rf "$folder"
        """#
}
