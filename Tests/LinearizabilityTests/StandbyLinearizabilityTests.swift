import DaemonTesting
import Foundation
import PostgresTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowClient

/// Tests many clients of three daemons on one database, while daemons are killed and frozen. Whichever daemon a client
/// asks, the answers must be those of a single lamp that all use one after another.
@Suite(.tags(.heavy), .enabled(if: PostgresServer.isWanted)) struct StandbyLinearizabilityTests {
    private static let clients = 16
    private static let lamps = (1...4).map { "lamp-\($0)" }

    /// The number of rounds; `STANDBY_ROUNDS` sets it.
    private static let rounds = ProcessInfo.processInfo.environment["STANDBY_ROUNDS"].flatMap { Int($0) } ?? 2

    @Test(.timeLimit(.minutes(180))) func severalDaemonsAnswerAsOne() async throws {
        let seed =
            ProcessInfo.processInfo.environment["CLIENT_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64(UInt32.max))
        var (operations, unanswered) = (0, 0)
        for round in 0..<Self.rounds {
            let history = try await Self.round(round, seed)
            for lamp in Self.lamps {
                let own = history.flatMap { $0.history[lamp] ?? [] }
                var search = Linearization(own)
                #expect(search.verdict() == .linearizable, "\(lamp); CLIENT_SEED=\(seed) repeats the requests")
                operations += own.count
                unanswered += own.count { $0.answer == nil }
            }
        }
        print("daemons: seed \(seed), \(Self.rounds) rounds, \(operations) requests (\(unanswered) without an answer)")
    }

    /// Lets the clients send to a new database while its daemons are killed and frozen.
    private static func round(_ round: Int, _ seed: UInt64) async throws -> [LampClient] {
        let group = try await DaemonGroup(of: 3)
        try await start(in: group)
        let clock = EventClock()
        let end = ChaosEnd()
        let clients = try await withThrowingTaskGroup(of: LampClient?.self) { tasks in
            for number in 0..<Self.clients {
                var client = LampClient(
                    number: number, lamps: lamps, clock: clock, random: SeededRandom(seed: seed, round, number))
                client.hasSeveralDaemons = true
                tasks.addTask { [client] in
                    try await onOwnThread {
                        var (client, random) = (client, SeededRandom(seed: seed, round, number, 1))
                        while !end.hasCome {
                            let socket = group.sockets.randomElement(using: &random) ?? ""
                            try client.run(.unix(path: socket), requests: 20) {}
                        }
                        return client
                    }
                }
            }
            tasks.addTask {
                defer { end.come() }
                try await disturb(group, SeededRandom(seed: seed, round, 1_000))
                return nil
            }
            var ended: [LampClient] = []
            for try await client in tasks { if let client { ended.append(client) } }
            return ended.sorted { $0.number < $1.number }
        }
        // Whoever had a request of a killed daemon has answered it, or will never.
        try await group.settle()
        let last = clock.now()
        let settled = try await onOwnThread {
            try clients.map { client in
                var client = client
                client.daemonDied(at: last)
                try client.run(.unix(path: group.sockets[0]), requests: 10) {}
                return client
            }
        }
        try await group.stop()
        return settled
    }

    /// Kills the owner, kills any daemon, and freezes the owner for longer than its lease.
    private static func disturb(_ group: DaemonGroup, _ first: SeededRandom) async throws {
        var random = first
        for step in 0..<3 {
            try await letPass(.milliseconds(Int.random(in: 300...1_500, using: &random)))
            let owner = try await group.owner() ?? 0
            switch step {
            case 0: try await group.kill(owner)
            case 1: try await group.freeze(owner, for: .seconds(8))
            default: try await group.kill(Int.random(in: 0..<3, using: &random))
            }
        }
        try await group.settle()
        try await letPass(.milliseconds(300))
    }

    private static func start(in group: DaemonGroup) async throws {
        try await eventually("a daemon owns the data") { try await group.owner() != nil }
        // A standby takes these too.
        let daemon = try #require(await group.daemons.last)
        let definition = """
            id: lamp
            initial: off
            states:
              off: {on: {flip: on, on: on}}
              on: {on: {flip: off, off: off}}
            """
        let applied = try await daemon.answer(to: .post("/v1/machines", definition, as: "application/yaml"))
        guard applied.status == 201 else { throw TestingError(applied.text) }
        for lamp in lamps {
            let started = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "lamp", "instance": "\#(lamp)"}"#))
            guard started.status == 201 else { throw TestingError(started.text) }
        }
    }
}

/// Tells the clients that nothing is killed any more.
private final class ChaosEnd: Sendable {
    private let state = Atomic(false)

    var hasCome: Bool { state.load(ordering: .relaxed) }

    func come() { state.store(true, ordering: .relaxed) }
}
