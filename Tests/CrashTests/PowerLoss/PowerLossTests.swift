import DaemonTesting
import DiskTesting
import Foundation
import Testing
import ThreadTesting

/// Cuts the power of the disk below the real engine and store at random calls. Everything acknowledged must be there.
///
/// `POWER_CUTS` sets the number of cuts (50). `POWER_SEED` repeats a run.
@Suite(.tags(.heavy)) struct PowerLossTests {
    /// The cuts on one file. A file is checked whole after each cut, so it must not grow for ever.
    private static let cutsPerFile = 5

    @Test(.timeLimit(.minutes(180))) func whatIsAcknowledgedOutlivesAPowerCut() async throws {
        let environment = ProcessInfo.processInfo.environment
        let cuts = environment["POWER_CUTS"].flatMap { Int($0) } ?? 50
        let seed = environment["POWER_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("power: seed \(seed), \(cuts) cuts")
        let begin = ContinuousClock.now
        var phases: [PowerCut.Phase: Int] = [:]
        var calls: [String: Int] = [:]
        var (acknowledged, unanswered, again, overlapped, together) = (0, 0, 0, 0, 0)
        var (leased, completed, repaired) = (0, 0, 0)
        var site = try PowerSite(seed: seed)
        for round in 0..<cuts {
            if round % Self.cutsPerFile == 0 { site = try PowerSite(seed: seed) }
            let outcome = try await site.cut(round: round)
            #expect(outcome.mistakes == [], "cut \(round); POWER_SEED=\(seed) repeats it")
            if !outcome.mistakes.isEmpty { return }
            phases[outcome.phase, default: 0] += 1
            calls[outcome.call ?? "none", default: 0] += 1
            acknowledged += outcome.acknowledged
            unanswered += outcome.unanswered
            again += outcome.again
            overlapped += outcome.overlapped
            together += outcome.together
            leased += outcome.leased
            completed += outcome.completed
            repaired += outcome.repaired
        }
        let counts = PowerCut.Phase.allCases.map { "\($0.rawValue) \(phases[$0] ?? 0)" }.joined(separator: ", ")
        print(
            "power: cut at " + calls.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        #expect(overlapped > cuts / 10)
        #expect(together > 0 || cuts < 500)
        #expect(cuts < 500 || repaired > 0)
        #expect(leased > 0 && (cuts < 500 || min(leased, completed) > cuts / 4))
        let milliseconds = (ContinuousClock.now - begin) / .milliseconds(1)
        print(
            "power: seed \(seed), \(cuts) cuts (while \(counts)), \(acknowledged) answers and "
                + "\(unanswered) without outcome checked, \(leased) tasks handed out, \(completed) completed, "
                + "\(repaired) migrations, redactions and others of operators, "
                + "\(again) keys sent again, \(overlapped) batches overlapped, "
                + "\(together) committed with the one before, "
                + String(format: "%.0f ms a cut", milliseconds / Double(max(1, cuts))))
    }

    /// Proves that the test above can fail: answers are lost if the disk breaks its promise.
    @Test(.timeLimit(.minutes(20))) func aDiskThatConfirmsFlushesOfTheLogWithoutDoingThemIsFoundOut() async throws {
        var lost = 0
        for seed in 0..<100 where lost == 0 {
            let site = try PowerSite(seed: UInt64(seed), honesty: .liesAboutLog)
            var mistakes: [String] = []
            for round in 0..<Self.cutsPerFile where mistakes.isEmpty {
                mistakes = try await site.cut(round: round).mistakes
                // Often the file as a whole is refused; what matters here are answers that are not so.
                lost += mistakes.count { $0.contains("and is at []") || $0.contains("was said to be at seq") }
            }
        }
        #expect(lost > 0)
    }
}
