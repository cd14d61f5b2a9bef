import DaemonTesting
import Foundation
import Testing
import ThreadTesting

/// Kills the daemon at random moments under load. Everything that it acknowledged must be there afterwards.
///
/// `CRASH_ROUNDS` sets the number of kills (8). `CRASH_SEED` repeats a run: the kills come after the same numbers of
/// events.
@Suite(.tags(.heavy)) struct CrashTests {
    private static let clients = 8
    /// The rounds on one file. A file is checked whole after each kill, so it must not grow for ever.
    private static let roundsPerFile = 10

    @Test(.timeLimit(.minutes(180))) func nothingAcknowledgedIsLostByAKill() async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["CRASH_ROUNDS"].flatMap { Int($0) } ?? 8
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("crash: seed \(seed), \(rounds) rounds")
        let begin = ContinuousClock.now
        var acknowledged = 0
        var round = 0
        while round < rounds {
            let next = min(round + Self.roundsPerFile, rounds)
            let site = try await CrashSite(seed: seed)
            for round in round..<next {
                acknowledged += try await site.crash(round: round, clients: Self.clients)
                let mistakes = try await site.mistakes()
                #expect(mistakes == [], "round \(round); CRASH_SEED=\(seed) repeats it")
                if !mistakes.isEmpty { return }
            }
            round = next
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        print(
            "crash: seed \(seed), \(rounds) rounds, \(acknowledged) events acknowledged and found, "
                + String(format: "%.2f s a round", seconds / Double(rounds)))
        #expect(acknowledged >= rounds)
    }
}
