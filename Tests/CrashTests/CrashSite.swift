import DaemonTesting
import Foundation

/// A database whose daemon is killed again and again, and all that was ever sent to it.
final class CrashSite {
    /// Always in one of two states, one of them with children of which the last one is remembered: what is folded has
    /// a configuration, a context and a memory.
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
    /// A kill comes after at most so many acknowledged events.
    private static let longestRound = 300

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

    /// Sends from several clients, kills the daemon, starts it again; gives the number of acknowledged events.
    func crash(round: Int, clients: Int) async throws -> Int {
        var random = SeededRandom(seed: seed, round)
        let enough = Int.random(in: 1...Self.longestRound, using: &random)
        let progress = Progress(enough: enough)
        let made = try await withThrowingTaskGroup(of: [Attempt].self) { [daemon, seed] group in
            for client in 0..<clients {
                group.addTask {
                    try await onOwnThread {
                        var client = CrashClient(
                            address: daemon.address, number: Int64(round * clients + client), shared: Self.shared,
                            random: SeededRandom(seed: seed, round, client))
                        return try client.run { progress.acknowledged() }
                    }
                }
            }
            do {
                try await onOwnThread { try progress.waitUntilEnough() }
            } catch {
                try await daemon.kill()
                throw error
            }
            try await daemon.kill()
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

    /// What is wrong with the file of the daemon, measured by what was sent to it.
    func mistakes(measuredBy other: [Attempt]? = nil) async throws -> [String] {
        try await onOwnThread { [path = daemon.database, attempts = other ?? attempts] in
            try JournalCheck(path, attempts: attempts).mistakes
        }
    }
}

/// Counts acknowledged events until there are enough of them.
///
/// `@unchecked Sendable`: `count` is read and written under `condition` only.
private final class Progress: @unchecked Sendable {
    private static let patience: TimeInterval = 20
    private let condition = NSCondition()
    private let enough: Int
    private var count = 0

    init(enough: Int) {
        self.enough = enough
    }

    func acknowledged() {
        condition.lock()
        defer { condition.unlock() }
        count += 1
        if count >= enough { condition.signal() }
    }

    /// Blocks until there are enough.
    func waitUntilEnough() throws {
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        condition.lock()
        defer { condition.unlock() }
        while count < enough {
            guard condition.wait(until: deadline) else {
                throw TestingError("\(count) of \(enough) events were acknowledged within \(Self.patience) seconds")
            }
        }
    }
}
