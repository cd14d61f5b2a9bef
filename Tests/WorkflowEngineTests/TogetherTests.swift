import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests batches that waited for the same commit and share a transaction.
@Suite(.onePartition("the batches of one lane are counted"))
struct TogetherTests {
    /// The result of 18 commands in batches of four, of which the second, third and fourth wait while the first is
    /// being committed.
    private struct Outcome {
        /// The answer to each command: the seq, or the kind of rejection.
        let told: [String]
        /// The number of batches of each commit, since the instances were started.
        let commits: [Int]
        /// The number of attempted commits.
        let tries: Int
        let counts: BatchStatistics.Counts
        let journal: [JournalRecord]
        /// The error with which the engine ended.
        let error: StoreError?
    }

    /// - Parameters:
    ///   - bad: The number of the only command for the instance `bad`; the others are for `a`.
    ///   - code: The error code of a commit that changes `bad`.
    ///   - isLast: True if the store fails after the commit of several batches.
    private static func run(
        bad: Int? = nil, failing code: StoreError.Code? = nil, isLast: Bool = false
    ) async throws -> Outcome {
        let store = FakeStore()
        var limits = EngineLimits()
        limits.batchRows = 4
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits)
        for name in ["a", "bad"] { try await running.start(name) }
        store.fail { _, batch in
            guard let code, batch.changedInstances.contains(where: { $0.name == "bad" }) else { return nil }
            return StoreError(code, "made to fail")
        }
        let before = store.content.withLock { content in
            content.viewed = { views in
                // The second batch has been applied, and waits until the first is being committed alone.
                if views == 1 { store.hold.waitForSomebodyHeld() }
                // The fifth has been applied: those before it were handed over.
                if views == 4 { store.hold.open() }
            }
            if isLast {
                content.maintenance = { $0.last == 3 ? StoreError(.outcomeUnknown, "made to fail") : nil }
            }
            return content.commits.count
        }
        store.hold.shut()
        let outcomes = try await running.engine.send(
            (0..<18).map { SendCommand(instance: $0 == bad ? "bad" : "a", event: Event(name: "flip")) })
        await running.beginStop()
        var failure: StoreError?
        do { try await running.ended() } catch let error as StoreError { failure = error }
        return store.content.withLock { content in
            Outcome(
                told: outcomes.map { outcome in
                    switch outcome {
                    case .success(let event): "\(event.seq.rawValue)"
                    case .failure(let rejection): rejection.kind
                    }
                }, commits: Array(content.commits.dropFirst(before)), tries: content.tries,
                counts: running.engine.statistics.counts, journal: content.journal, error: failure)
        }
    }

    @Test(.timeLimit(.minutes(20))) func batchesThatWaitAreCommittedTogether() async throws {
        let outcome = try await Self.run()
        #expect(outcome.told == (2...19).map { "\($0)" })
        #expect(outcome.commits == [1, 3, 1])
        // The machine, two starts, and 18 events.
        #expect(outcome.counts.commits == 3 + 3)
        #expect(outcome.counts.batches == 3 + 5)
        #expect(outcome.counts.events == 2 + 18)
        #expect(outcome.counts.largestBatch == 4)
        #expect(outcome.journal.map(\.position.rawValue) == Array(2...21))
        #expect(outcome.error == nil)
    }

    @Test(.timeLimit(.minutes(20)), arguments: 4...15)
    func ofThoseThatBreakAConstraintOnlyTheCommandToBlameFails(bad: Int) async throws {
        Self.expect([bad: "fault"], try await Self.run(bad: bad, failing: .constraint))
    }

    @Test(.timeLimit(.minutes(20)), arguments: [4, 9, 15])
    func whatTheDiskHasNoRoomForFailsTogether(bad: Int) async throws {
        let told = Dictionary(uniqueKeysWithValues: (4..<16).map { ($0, "storageUnavailable") })
        Self.expect(told, try await Self.run(bad: bad, failing: .unavailable))
    }

    /// Expects that some commands got errors, and that the others were applied, in their order.
    private static func expect(_ wrong: [Int: String], _ outcome: Outcome) {
        var seq = 1
        let expected = (0..<18).map { number in
            if let wrong = wrong[number] { return wrong }
            seq += 1
            return "\(seq)"
        }
        #expect(outcome.told == expected)
        let rows = outcome.journal.filter { $0.event == "flip" }
        #expect(rows.map(\.seq.rawValue) == Array(2...Int64(seq)))
        // Before them are the record of the machine's version and two starts.
        #expect(rows.map(\.position.rawValue) == Array(4...Int64(seq + 2)))
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.to == $1.from && $1.previous == $0.position })
        #expect(outcome.error == nil)
    }

    @Test(.timeLimit(.minutes(20))) func whatIsCommittedIsToldAlthoughNothingMoreMayBeWritten() async throws {
        let outcome = try await Self.run(isLast: true)
        #expect(outcome.told == (2...17).map { "\($0)" } + Array(repeating: "storageUnavailable", count: 2))
        #expect(outcome.commits == [1, 3])
        #expect(outcome.error?.code == .outcomeUnknown)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [StoreError.Code.outcomeUnknown, .fenced], [4, 9, 15])
    func whatSharesATransactionSharesItsUnknownOutcome(code: StoreError.Code, bad: Int) async throws {
        let outcome = try await Self.run(bad: bad, failing: code)
        let kind = code == .outcomeUnknown ? "outcomeUnknown" : "storageUnavailable"
        #expect(
            outcome.told == ["2", "3", "4", "5"] + Array(repeating: kind, count: 12)
                + Array(repeating: "storageUnavailable", count: 2))
        #expect(outcome.commits == [1])
        // Nothing is tried after the failed commit.
        #expect(outcome.tries == 2)
        #expect(outcome.error?.code == code)
    }
}
