import DaemonTesting
import Foundation

/// A database whose daemon is killed again and again, and everything that was ever sent to it.
final class CrashSite {
    /// A machine that is always in one of two states. One of them has children, of which the last one is remembered. So
    /// a fold involves a configuration, a context and a history state.
    private static let definition = """
        id: walk
        initial: left
        context: {moving: false}
        on: {resume: .right.last}
        states:
          left:
            on: {step: right}
          right:
            initial: slow
            entry: {assign: {moving: true}}
            exit: {assign: {moving: false}}
            on: {step: left}
            states:
              slow: {on: {turn: fast}}
              fast: {on: {turn: slow}}
              last: {type: history}
        """
    private static let shared = ["shared-1", "shared-2", "shared-3"]
    /// The most requests and answers before a kill …
    private static let mostSteps = 700
    /// … and the longest delay after them, about as long as a commit.
    private static let longestDelay = Duration.microseconds(1_500)

    private let folder: TemporaryFolder
    private let seed: UInt64
    private var daemon: Daemon
    /// Everything that was ever sent to the file.
    private(set) var attempts: [Attempt] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        let applied = try await daemon.answer(to: .post("/v1/machines", Self.definition, as: "application/yaml"))
        guard applied.status == 201 else { throw TestingError(applied.text) }
        for name in Self.shared {
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "walk", "instance": "\#(name)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
    }

    /// Sends from several clients, kills the daemon and starts it again. Returns the number of acknowledged events.
    func crash(round: Int, clients: Int) async throws -> Int {
        var random = SeededRandom(seed: seed, round)
        let last = Int.random(in: 2...Self.mostSteps, using: &random)
        // Short ones are likelier: just after an answer is when something could still be missing on the disk.
        let share = Double.random(in: 0...1, using: &random)
        let kill = RandomKill(of: daemon, atStep: last, after: Self.longestDelay * (share * share))
        let made = try await withThrowingTaskGroup(of: [Attempt].self) { [daemon, seed] group in
            for client in 0..<clients {
                group.addTask {
                    try await onOwnThread {
                        var client = CrashClient(
                            address: daemon.address, number: Int64(round * clients + client), shared: Self.shared,
                            random: SeededRandom(seed: seed, round, client))
                        return try client.run { kill.step() }
                    }
                }
            }
            do {
                let end = try await daemon.program.result().end
                guard end == .killed(by: SIGKILL) else { throw TestingError("the daemon ended by itself: \(end)") }
            } catch {
                // The clients end with it.
                daemon.program.signal(SIGKILL)
                throw error
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        attempts += made
        daemon = try await Daemon(in: folder)
        return made.count(where: \.isAccepted)
    }

    /// Changes the file behind the daemon's back.
    func tamper(_ sql: String) async throws {
        _ = try await daemon.stop()
        try DatabaseFile(daemon.database).change(sql)
    }

    /// Returns the differences between the daemon's file and the requests that were sent to it.
    func mistakes(measuredBy other: [Attempt]? = nil) async throws -> [String] {
        try await onOwnThread { [path = daemon.database, attempts = other ?? attempts] in
            try JournalCheck(path, attempts: attempts).mistakes
        }
    }
}
