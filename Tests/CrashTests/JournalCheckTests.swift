import DaemonTesting
import Testing

/// Tests the check of the crash test: it must find the mistakes that it is there to find.
@Suite struct JournalCheckTests {
    @Test(.timeLimit(.minutes(20))) func theCheckFindsWhatIsMissingMovedDoubledOrShouldNotBeThere() async throws {
        let site = try await CrashSite(seed: 1)
        _ = try await site.crash(round: 0, clients: 2)
        #expect(try await site.mistakes() == [])
        let attempts = site.attempts
        let event = try #require(attempts.firstIndex { $0.marker != nil && $0.isAccepted })
        let start = try #require(attempts.firstIndex { $0.marker == nil && $0.isAccepted })

        var missing = attempts
        missing.append(Attempt(instance: "shared-1", marker: Marker(client: 99, number: 1), outcome: .accepted(2)))
        #expect(
            try await site.mistakes(measuredBy: missing)
                == ["event 1 of client 99 was accepted(2), and is at []"])

        var moved = attempts
        guard case .accepted(let seq) = attempts[event].outcome, let marker = attempts[event].marker else {
            Issue.record("\(attempts[event])")
            return
        }
        let place = "[\(attempts[event].instance) seq \(seq)]"
        moved[event].outcome = .accepted(seq + 1)
        #expect(
            try await site.mistakes(measuredBy: moved) == ["\(marker) was accepted(\(seq + 1)), and is at \(place)"])

        var refused = attempts
        refused[event].outcome = .refused
        #expect(try await site.mistakes(measuredBy: refused) == ["\(marker) was refused, and is at \(place)"])

        var lost = attempts
        lost[start] = Attempt(instance: "nobody", marker: nil, outcome: .accepted(1))
        #expect(
            try await site.mistakes(measuredBy: lost) == ["the start of nobody was accepted(1), and is at []"])
    }

    @Test(.timeLimit(.minutes(20))) func theCheckFindsRowsThatWereChanged() async throws {
        let site = try await CrashSite(seed: 2)
        _ = try await site.crash(round: 0, clients: 2)
        try await site.tamper("UPDATE instance SET context = '{}' WHERE name = 'shared-1'")
        let mistakes = try await site.mistakes()
        let what = #"shared-1: its context is {}, and its rows lead to {"moving":"#
        #expect(mistakes.count == 1 && mistakes.allSatisfy { $0.hasPrefix(what) }, "\(mistakes)")
        try await site.tamper("UPDATE instance SET seq = seq + 1 WHERE name = 'shared-2'")
        #expect(try await site.mistakes().contains { $0.hasPrefix("shared-2 has the seqs ") })
    }
}
