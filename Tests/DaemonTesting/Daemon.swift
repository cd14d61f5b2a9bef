import Foundation
import ThreadTesting
package import WorkflowClient

/// A running `wfd` process.
package final class Daemon: Sendable {
    package let program: RunningProgram
    package let database: String
    /// The addresses on which the daemon listens, in the order of its log.
    package let addresses: [Address]

    /// Starts the built `wfd` on a database in a folder, and waits until it listens.
    ///
    /// - Parameter listen: The addresses to listen on; the socket `wfd.sock` in the folder by default.
    package convenience init(
        in folder: TemporaryFolder, database: String = "wfd.db", listen: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let listen = listen.isEmpty ? ["unix:" + folder.path("wfd.sock")] : listen
        let store = try await TestedStore.database(at: folder.path(database))
        try await self.init(
            arguments: Self.arguments(database: store, listen: listen),
            database: folder.path(database), addresses: listen.count, environment: environment)
        guard store != folder.path(database) else { return }
        // On PostgreSQL a daemon listens before it has taken the data.
        try await eventually("the daemon owns its data") {
            let status = try await wfctl("status")
            return status.end == .exited(0) && !status.output.contains("standby")
        }
    }

    /// Starts the built `wfd` with some arguments, and waits until it listens on a number of addresses.
    ///
    /// - Parameter processor: The number of the only processor that the daemon may use.
    package init(
        arguments: [String], database: String, addresses count: Int = 1, environment: [String: String] = [:],
        processor: Int? = nil
    ) async throws {
        program = try Self.launch(arguments, environment: environment, processor: processor)
        self.database = database
        addresses = try await program.errorLines(containing: "listening", count: count).map { line in
            guard let field = line.firstMatch(of: /address=(\S+)/) else {
                throw TestingError("no address in the line '\(line)'")
            }
            return try Address(String(field.1))
        }
    }

    /// The first address; a unix socket, if there is one.
    package var address: Address {
        addresses.first { if case .unix = $0 { true } else { false } } ?? addresses[0]
    }

    /// The first address on TCP, if there is one.
    package var web: Address {
        addresses.first { if case .unix = $0 { false } else { true } } ?? addresses[0]
    }

    /// Creates a token over the unix socket, and returns the header that has it.
    package func token(_ name: String, _ roles: String, _ options: String...) async throws -> (
        name: String, value: String
    ) {
        ("Authorization", "Bearer " + (try await secret(name, roles, options)))
    }

    /// Creates a token over the unix socket, and returns it.
    package func secret(_ name: String, _ roles: String, _ options: [String] = []) async throws -> String {
        let created = try await wfctl(["token", "create", name, "--role", roles] + options)
        guard created.end == .exited(0) else { throw TestingError("no token: \(created)") }
        return created.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package var pid: Int32 { program.pid }

    /// Returns the arguments that name a database and addresses.
    package static func arguments(database: String, listen: [String]) -> [String] {
        ["--database", database] + listen.flatMap { ["--listen", $0] }
    }

    /// Starts the built `wfd` without waiting for anything.
    package static func launch(
        _ arguments: [String], environment: [String: String] = [:], processor: Int? = nil
    ) throws -> RunningProgram {
        let (wfd, environment) = (try Programs.path("wfd"), Programs.environment(environment))
        guard let processor else { return try RunningProgram(wfd, arguments, environment: environment) }
        return try RunningProgram(
            "/usr/bin/env", ["taskset", "-c", "\(processor)", wfd] + arguments, environment: environment)
    }

    /// Asks the daemon to stop, and waits for its end.
    package func stop(_ signal: Int32 = SIGTERM) async throws -> ProgramResult {
        program.signal(signal)
        return try await program.result()
    }

    /// Kills the daemon, as a crash would.
    package func kill() async throws {
        program.signal(SIGKILL)
        let end = try await program.result().end
        guard end == .killed(by: SIGKILL) else { throw TestingError("the daemon ended by itself: \(end)") }
    }

    /// Runs `wfctl` against the daemon.
    package func wfctl(_ arguments: String...) async throws -> ProgramResult {
        try await wfctl(arguments)
    }

    /// Runs `wfctl` against the daemon.
    package func wfctl(_ arguments: [String]) async throws -> ProgramResult {
        try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(address)"])
    }

    /// Calls a function with a client of the daemon, and closes the client.
    package func withClient<Result>(
        _ access: ClientAccess = ClientAccess(), at other: Address? = nil,
        _ body: (WorkflowClient) async throws -> Result
    ) async throws -> Result {
        let client = try WorkflowClient(address: other ?? address, access: access)
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// Sends one request on a connection of its own.
    package func answer(to request: RawRequest) async throws -> RawAnswer {
        try await onOwnThread { [address] in try RawConnection(to: address).answer(to: request) }
    }
}
