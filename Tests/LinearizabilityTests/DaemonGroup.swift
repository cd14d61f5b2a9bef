import DaemonTesting
import Foundation
import PostgresTesting
import ThreadTesting

/// Several daemons on one database of PostgreSQL.
actor DaemonGroup {
    private let folder: TemporaryFolder
    private let url: String
    private(set) var daemons: [Daemon] = []

    /// The sockets of the daemons, in the order of their numbers. A daemon that was killed comes back at its own.
    nonisolated let sockets: [String]

    init(of count: Int) async throws {
        folder = try TemporaryFolder()
        url = try await onOwnThread { try PostgresServer.emptyDatabase() }
        sockets = (0..<count).map { [folder] in folder.path("\($0).sock") }
        let made = try await Daemon.launch(["init", url, "--partitions", "4"]).result()
        guard made.end == .exited(0) else { throw TestingError("no store: \(made)") }
        for number in 0..<count { daemons.append(try await start(number)) }
    }

    private func start(_ number: Int) async throws -> Daemon {
        let listen = "unix:" + sockets[number]
        return try await Daemon(
            arguments: Daemon.arguments(database: url, listen: [listen]) + ["--peer", "127.0.0.1:0"], database: url)
    }

    /// The number of the daemon that owns the data, as the others see it; `nil` while it changes.
    func owner() async throws -> Int? {
        try await revive()
        for (number, daemon) in daemons.enumerated() {
            let answer = try? await daemon.answer(to: .get("/readyz"))
            if let answer, answer.text.contains(#""ready""#) { return number }
        }
        return nil
    }

    /// Kills a daemon, and starts it again.
    func kill(_ number: Int) async throws {
        daemons[number].program.signal(SIGKILL)
        _ = try await daemons[number].program.result()
        daemons[number] = try await start(number)
    }

    /// Freezes a daemon for a time. It may have ended when it wakes, because another one has taken its place.
    func freeze(_ number: Int, for time: Duration) async throws {
        daemons[number].program.signal(SIGSTOP)
        try await letPass(time)
        daemons[number].program.signal(SIGCONT)
        // Either it answers, or it ends.
        try await eventually("it has come to itself") { [daemon = daemons[number]] in
            if daemon.program.errors.contains("stopped") { return true }
            return (try? await daemon.answer(to: .get("/readyz")))?.status == 200
        }
        guard daemons[number].program.errors.contains("stopped") else { return }
        _ = try await daemons[number].program.result()
        daemons[number] = try await start(number)
    }

    /// Starts the daemons again that ended because another one had taken the data, as a service manager does.
    private func revive() async throws {
        for (number, daemon) in daemons.enumerated() where daemon.program.errors.contains("[wfd] stopped") {
            let ended = try await daemon.program.result()
            guard ended.end == .exited(75) else { throw TestingError("daemon \(number) ended by itself: \(ended)") }
            daemons[number] = try await start(number)
        }
    }

    /// Waits until one daemon owns the data and all answer.
    func settle() async throws {
        for number in daemons.indices {
            try await eventually("daemon \(number) answers") {
                try await revive()
                return (try? await daemons[number].answer(to: .get("/v1/machines")))?.status == 200
            }
        }
    }

    func stop() async throws {
        for daemon in daemons { daemon.program.signal(SIGKILL) }
        for daemon in daemons { _ = try await daemon.program.result() }
    }
}
