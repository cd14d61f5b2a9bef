import DaemonTesting
import Foundation
import Testing

/// Clients of files whose daemon is killed again and again, and the results of all files.
struct KilledDaemon {
    /// The number of kills. `CLIENT_KILLS` sets it (6). `CLIENT_SEED` repeats a run: the same requests, and kills after
    /// the same numbers of them.
    let kills: Int
    let seed: UInt64
    private static let killsPerFile = 6

    init() {
        let environment = ProcessInfo.processInfo.environment
        kills = environment["CLIENT_KILLS"].flatMap { Int($0) } ?? 6
        seed = environment["CLIENT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    }

    /// The results of all files.
    struct Count: CustomStringConvertible {
        var operations = 0
        var unanswered = 0
        var configurations = 0

        var description: String {
            "\(operations) requests (\(unanswered) without an answer) linearizable, at most \(configurations) "
                + "configurations at once"
        }
    }

    /// Lets clients use files one after another, and checks that an order of the requests explains all answers.
    ///
    /// - Parameters:
    ///   - start: Starts a daemon on a new file, with everything that the clients use.
    ///   - clients: Returns the clients of a file, by the number of its first kill.
    ///   - end: Gets the last daemon of each file, and the requests of all clients.
    func check<Client: RecordingClient>(
        _ start: (TemporaryFolder) async throws -> Daemon, clients: (Int, EventClock) -> [Client],
        end: (Daemon, [Client]) async throws -> Void
    ) async throws -> Count? {
        var (done, count) = (0, Count())
        while done < kills {
            let next = min(kills, done + Self.killsPerFile)
            let folder = try TemporaryFolder()
            let clock = EventClock()
            let (daemon, clients) = try await run(
                clients(done, clock), clock, kills: done..<next, on: try await start(folder), in: folder)
            done = next
            for name in Set(clients.flatMap(\.history.keys)).sorted() {
                let history = clients.flatMap { $0.history[name] ?? [] }
                var search = Linearization(history)
                let verdict = search.verdict()
                #expect(verdict == .linearizable, "\(name); CLIENT_SEED=\(seed) repeats the requests")
                if verdict != .linearizable { return nil }
                count.operations += history.count
                count.unanswered += history.count { $0.answer == nil }
                count.configurations = max(count.configurations, search.most)
            }
            try await end(daemon, clients)
        }
        return count
    }

    /// Lets all clients send to one file, and kills its daemon a number of times.
    private func run<Client: RecordingClient>(
        _ first: [Client], _ clock: EventClock, kills: Range<Int>, on started: Daemon, in folder: TemporaryFolder
    ) async throws -> (Daemon, [Client]) {
        var (daemon, clients) = (started, first)
        for kill in kills {
            var random = SeededRandom(seed: seed, kill)
            let end = RandomKill(
                of: daemon, atStep: Int.random(in: 50...1_200, using: &random),
                after: .microseconds(Int.random(in: 0...1_500, using: &random)))
            clients = try await Self.run(clients, on: daemon) { end.step() }
            let ended = try await daemon.program.result().end
            guard ended == .killed(by: SIGKILL) else { throw TestingError("the daemon ended by itself: \(ended)") }
            let time = clock.now()
            for index in clients.indices { clients[index].daemonDied(at: time) }
            daemon = try await Daemon(in: folder)
        }
        // The requests that were not answered are sent again, and a few more.
        return (daemon, try await Self.run(clients, on: daemon, requests: 10) {})
    }

    /// Lets each client continue, on its own thread.
    private static func run<Client: RecordingClient>(
        _ clients: [Client], on daemon: Daemon, requests: Int = 100_000, step: @escaping @Sendable () -> Void
    ) async throws -> [Client] {
        try await withThrowingTaskGroup(of: Client.self) { group in
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
