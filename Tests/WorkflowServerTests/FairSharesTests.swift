import DaemonTesting
import Synchronization
import Testing
import WorkflowAPI
import WorkflowStore

@testable import WorkflowServer  // Its shares are no part of what the daemon uses.

/// Tests how callers share places.
@Suite struct FairSharesTests {
    @Test func theCallerWithTheMostLosesItsNewest() {
        var shares = FairShares()
        let claims = ["a", "b", "a", "a", "b"].map { shares.claim(for: $0) }
        #expect(shares.count == 5 && shares.count(of: "a") == 3)
        // A new caller takes one of three; who has two would then have as many as that caller had.
        #expect(shares.leaving(for: "c") === claims[3])
        #expect(shares.leaving(for: "b") == nil && shares.leaving(for: "a") == nil)
        shares.remove(claims[3])
        shares.remove(claims[3])
        #expect(shares.count == 4)
        let leaving = shares.leaving(for: nil)
        #expect(leaving === claims[2] || leaving === claims[4])
    }

    /// The model is a list of claims in their order.
    @Test(arguments: 0..<50) func aListDecidesTheSame(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var shares = FairShares()
        var list: [Claim] = []
        let callers: [Actor?] = [nil] + (0..<Int.random(in: 1...6, using: &random)).map { Actor(rawValue: "c\($0)") }
        for step in 0..<400 {
            func count(_ caller: Actor?) -> Int { list.count { $0.caller == caller } }
            // Some callers ask more often than others.
            let caller = callers[min(.random(in: callers.indices, using: &random), step % callers.count)]
            let most = callers.map(count).max() ?? 0
            let lost = shares.leaving(for: caller)
            if count(caller) + 1 < most {
                let isNewest = callers.contains { other in
                    count(other) == most && list.last { $0.caller == other } === lost
                }
                #expect(lost != nil && isNewest, "seed \(seed), step \(step)")
            } else {
                #expect(lost == nil, "seed \(seed), step \(step)")
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4: list.append(shares.claim(for: caller))
            case 4 where lost != nil:
                list.removeAll { $0 === lost }
                if let lost { shares.remove(lost) }
                list.append(shares.claim(for: caller))
            default:
                guard let gone = list.randomElement(using: &random) else { continue }
                list.removeAll { $0 === gone }
                shares.remove(gone)
            }
            #expect(shares.count == list.count)
            for caller in callers { #expect(shares.count(of: caller) == count(caller)) }
        }
    }

    @Test func aClaimTellsOnceThatItIsLost() async throws {
        let claim = Claim(of: "a", number: 1)
        let told = Mutex(0)
        claim.whenLost { told.withLock { $0 += 1 } }
        try claim.requireHeld()
        claim.lose()
        claim.lose()
        #expect(told.withLock { $0 } == 1)
        let problem = #expect(throws: Problem.self) { try claim.requireHeld() }
        #expect(problem?.type == .overloaded)
        await claim.untilLost()
    }

    @Test func streamsWaitsAndBodiesGiveWay() throws {
        var limits = ServerLimits()
        (limits.streams, limits.connections, limits.shortConnections) = (3, 7, 2)
        let answers = LastingAnswers(limits: limits)
        // All streams, then all places.
        let streams = try (0..<3).map { _ in try answers.stream(for: "a") }
        #expect(throws: Problem.self) { try answers.stream(for: "a") }
        let other = try answers.stream(for: "b")
        #expect(streams.map(\.claim.isLost) == [false, false, true] && answers.streams == 3)
        let waits = try (0..<2).map { _ in try answers.poll(for: "a") }
        let full = #expect(throws: Problem.self) { try answers.poll(for: "a") }
        #expect(full?.detail == "5 streams and requests that wait are open already")
        // The one with the most has two streams and two waits; its newest is a wait.
        let wait = try answers.poll(for: "b")
        #expect(waits.map(\.claim.isLost) == [false, true])
        // A place that is lost is given back once.
        waits[1].end()
        let body = try answers.body(for: "a")
        #expect(throws: Problem.self) { try answers.body(for: "a") }
        let third = try answers.body(for: "c")
        #expect(body.claim.isLost && !third.claim.isLost)
        streams[2].end()
        #expect(answers.streams == 3)
        withExtendedLifetime((streams, other, waits, wait, body, third)) {}
        #expect(!other.claim.isLost && !wait.claim.isLost)
    }
}
