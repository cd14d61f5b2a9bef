import DaemonTesting
import Foundation
import Testing

/// Many clients of one daemon that is killed again and again: what they were told is what a single lamp would tell,
/// used by one after another.
///
/// `CLIENT_KILLS` says how often it is killed (6), `CLIENT_SEED` repeats a run: the same requests, and kills after the
/// same numbers of them.
@Suite struct LinearizabilityTests {
    private static let clients = 16
    private static let killsPerFile = 6
    private static let definition = """
        id: lamp
        initial: off
        states:
          off: {on: {flip: on, on: on}}
          on: {on: {flip: off, off: off}}
        """
    private static let lamps = (1...4).map { "lamp-\($0)" }

    /// What came of one file.
    private struct Count {
        var operations = 0
        var unanswered = 0
        var configurations = 0
    }

    @Test(.timeLimit(.minutes(30))) func theAnswersAreThoseOfOneLampUsedByOneAfterAnother() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["CLIENT_KILLS"].flatMap { Int($0) } ?? 6
        let seed = environment["CLIENT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("clients: seed \(seed), \(Self.clients) clients, \(kills) kills")
        var (done, count) = (0, Count())
        while done < kills {
            let next = min(kills, done + Self.killsPerFile)
            let clients = try await Self.run(kills: done..<next, seed: seed)
            done = next
            for lamp in Self.lamps {
                let history = clients.flatMap { $0.history[lamp] ?? [] }
                var search = Linearization(history)
                let verdict = search.verdict()
                #expect(verdict == .linearizable, "\(lamp); CLIENT_SEED=\(seed) repeats the requests")
                if verdict != .linearizable { return }
                count.operations += history.count
                count.unanswered += history.count { $0.answer == nil }
                count.configurations = max(count.configurations, search.most)
            }
        }
        print(
            "clients: seed \(seed), \(kills) kills, \(count.operations) requests (\(count.unanswered) without an "
                + "answer) linearizable, at most \(count.configurations) configurations at once")
    }

    /// Lets all clients send to one file, and kills its daemon so often.
    private static func run(kills: Range<Int>, seed: UInt64) async throws -> [LampClient] {
        let folder = try TemporaryFolder()
        let clock = EventClock()
        var daemon = try await start(in: folder)
        var clients = (0..<Self.clients).map { number in
            LampClient(
                number: number, lamps: lamps, clock: clock, random: SeededRandom(seed: seed, kills.lowerBound, number))
        }
        for kill in kills {
            var random = SeededRandom(seed: seed, kill)
            let end = RandomKill(
                of: daemon, atStep: Int.random(in: 50...1_200, using: &random),
                after: .microseconds(Int.random(in: 0...1_500, using: &random)))
            clients = try await run(clients, on: daemon) { end.step() }
            let ended = try await daemon.program.result(within: .seconds(20)).end
            guard ended == .killed(by: SIGKILL) else { throw TestingError("the daemon ended by itself: \(ended)") }
            let time = clock.now()
            for index in clients.indices { clients[index].daemonDied(at: time) }
            daemon = try await Daemon(in: folder)
        }
        // What was not answered last is sent again, and a few more.
        return try await run(clients, on: daemon, requests: 10) {}
    }

    private static func start(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        let applied = try await daemon.answer(to: .post("/v1/machines", definition, as: "application/yaml"))
        guard applied.status == 201 else { throw TestingError(applied.text) }
        for lamp in lamps {
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "lamp", "instance": "\#(lamp)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
        return daemon
    }

    /// Lets each client go on, on a thread of its own.
    private static func run(
        _ clients: [LampClient], on daemon: Daemon, requests: Int = 100_000, step: @escaping @Sendable () -> Void
    ) async throws -> [LampClient] {
        try await withThrowingTaskGroup(of: LampClient.self) { group in
            for client in clients {
                group.addTask {
                    try await onOwnThread {
                        var client = client
                        try client.run(daemon.address, requests: requests, step: step)
                        return client
                    }
                }
            }
            do {
                return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.number < $1.number }
            } catch {
                // The other clients end with it.
                daemon.program.signal(SIGKILL)
                throw error
            }
        }
    }
}
