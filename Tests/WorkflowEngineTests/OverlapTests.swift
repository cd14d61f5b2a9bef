import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests batches that are applied while the previous one is being committed. Nothing of them is reported before, and
/// nothing of them is valid if that commit fails.
@Suite struct OverlapTests {
    /// Returns an engine with batches of four commands, which applies the next batch as soon as two commands wait.
    private static func engine(
        on store: any WorkflowStore, together: Int = 1, cached bytes: Int? = nil
    ) async throws -> RunningEngine {
        var limits = EngineLimits()
        limits.batchRows = 4
        limits.batchesTogether = together
        limits.batchApplying = .seconds(60)
        if let bytes { limits.cachedInstanceBytes = bytes }
        return try await RunningEngine(store: store, limits: limits)
    }

    private static func flip(_ name: String, key: String? = nil) -> SendCommand {
        SendCommand(instance: name, event: Event(name: "flip"), key: key.flatMap(RequestKey.init(text:)))
    }

    /// Returns the answers to commands that wait together: the seq, or the kind of rejection.
    private static func told(_ outcomes: [Result<SendResult, Rejection>]) -> [String] {
        outcomes.map { outcome in
            switch outcome {
            case .success(let event): "\(event.seq.rawValue)"
            case .failure(let rejection): rejection.kind
            }
        }
    }

    @Test(.timeLimit(.minutes(20))) func whatWaitsIsAppliedWhileABatchIsCommitted() async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store)
        try await running.start("lamp-1")
        let told = Self.told(try await running.engine.send(Array(repeating: Self.flip("lamp-1"), count: 18)))
        #expect(told == (2...19).map { "\($0)" })
        // Four of the five batches: the first has none before it.
        #expect(store.content.withLock { $0.views } == 4)
        #expect(running.engine.statistics.counts.largestBatch == 4)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: 1...5)
    func aBatchThatFailsTakesNothingElseWithIt(failing: Int) async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store)
        try await running.start("lamp-1")
        store.fail { number, _ in number == failing ? StoreError(.unavailable, "full") : nil }
        let told = Self.told(try await running.engine.send(Array(repeating: Self.flip("lamp-1"), count: 20)))
        let before = (failing - 1) * 4
        let expected =
            (0..<before).map { "\($0 + 2)" } + Array(repeating: "storageUnavailable", count: 4)
            + (before..<16).map { "\($0 + 2)" }
        #expect(told == expected)
        let journal = store.content.withLock { $0.journal }
        #expect(journal.map(\.seq.rawValue) == Array(1...17))
        // The record of the machine's first version is before them.
        #expect(journal.map(\.position.rawValue) == Array(2...18))
        #expect(journal.map { $0.previous?.rawValue ?? 1 } == Array(1...17))
        #expect(zip(journal, journal.dropFirst()).allSatisfy { $0.to == $1.from })
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: [1, 4])
    func whenABatchBreaksAConstraintTheOrderStays(together: Int) async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store, together: together)
        for name in ["a", "bad"] { try await running.start(name) }
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "bad" } ? StoreError(.constraint, "bad") : nil
        }
        let names = ["a", "a", "a", "a", "a", "bad", "a", "a", "a", "a", "bad", "a", "a", "a"]
        let told = Self.told(try await running.engine.send(names.map { Self.flip($0) }))
        #expect(told == ["2", "3", "4", "5", "6", "fault", "7", "8", "9", "10", "fault", "11", "12", "13"])
        try await running.stop()
    }

    /// Starts `lamp-9` four times over, in separate batches, while the writer was held up; `failing` is the number of
    /// the batch that is not written.
    private static func startAgainAndAgain(failing: Int) async throws -> [String] {
        let store = FakeStore()
        let running = try await engine(on: store)
        for name in ["held", "a"] { try await running.start(name) }
        store.fail { number, _ in number == failing + 1 ? StoreError(.unavailable, "full") : nil }
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        let told = await withTaskGroup(of: (Int, String).self) { group in
            for number in 0..<16 {
                // An immediate task runs at once until it has to wait: for its answer, with its command in the queue.
                group.addImmediateTask {
                    do throws(Rejection) {
                        if number % 4 == 0 {
                            try await running.start("lamp-9")
                        } else {
                            _ = try await running.flip("a")
                        }
                        return (number, "accepted")
                    } catch {
                        return (number, error.kind)
                    }
                }
            }
            store.hold.open()
            return await group.reduce(into: Array(repeating: "", count: 16)) { $0[$1.0] = $1.1 }
        }
        _ = try await held
        try await running.stop()
        return told
    }

    @Test(.onePartition("the commits of one lane fail"), .timeLimit(.minutes(20)))
    func aRefusalIsNotToldBeforeItsReasonIsOnDisk() async throws {
        let undisturbed = try await Self.startAgainAndAgain(failing: 99)
        #expect(
            undisturbed == ["accepted"] + Array(repeating: "accepted", count: 3) + Self.exists + Self.exists
                + Self.exists)
        // The start of the second batch was refused because of the first, which is not there: it is tried again.
        let failed = try await Self.startAgainAndAgain(failing: 1)
        let first = Array(repeating: "storageUnavailable", count: 4)
        #expect(failed == first + Array(repeating: "accepted", count: 4) + Self.exists + Self.exists)
    }

    private static let exists = ["instanceExists", "accepted", "accepted", "accepted"]

    @Test(.timeLimit(.minutes(20)), arguments: [1, 4])
    func aKeyOfTheBatchUnderWayIsKnown(together: Int) async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store, together: together)
        try await running.start("lamp-1")
        let commands = (0..<12).map { Self.flip("lamp-1", key: "key \($0 % 5)") }
        let outcomes = try await running.engine.send(commands)
        #expect(Self.told(outcomes) == ["2", "3", "4", "5", "6", "2", "3", "4", "5", "6", "2", "3"])
        #expect(try outcomes.map { try $0.get().isRepeated } == (0..<12).map { $0 >= 5 })
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: 1...3, [1, 4])
    func whatCannotBeReadBesideACommitIsReadBehindIt(failing: Int, together: Int) async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store, together: together)
        try await running.start("lamp-1")
        store.content.withLock { $0.failingLooks = failing }
        let commands = (0..<18).map { Self.flip("lamp-1", key: "key \($0)") }
        #expect(Self.told(try await running.engine.send(commands)) == (2...19).map { "\($0)" })
        #expect(store.content.withLock { $0.failingLooks } < 0)
        #expect(store.content.withLock { $0.journal.map(\.seq.rawValue) } == Array(1...19))
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func afterAnUnknownOutcomeEverybodyIsAnsweredAndNothingIsWritten() async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store)
        try await running.start("lamp-1")
        store.fail { number, _ in number == 2 ? StoreError(.outcomeUnknown, "made to fail") : nil }
        let told = Self.told(try await running.engine.send(Array(repeating: Self.flip("lamp-1"), count: 18)))
        #expect(
            told == ["2", "3", "4", "5"] + Array(repeating: "outcomeUnknown", count: 4)
                + Array(repeating: "storageUnavailable", count: 10))
        #expect(store.tries == 2)
        await #expect(throws: StoreError.self) { try await running.ended() }
    }

    /// Nothing is cached, so commands that are applied beside a commit read the file meanwhile.
    @Test(.timeLimit(.minutes(20)), arguments: [1, 4])
    func besideACommitTheFileIsReadAsItWillBe(together: Int) async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let running = try await Self.engine(on: store, together: together, cached: 0)
        for number in 0..<10 { try await running.start("lamp-\(number)") }
        var random = SystemRandomNumberGenerator()
        var expected: [String] = []
        var seqs = Array(repeating: 1, count: 10)
        var first: [Int: String] = [:]
        let commands = (0..<2_000).map { _ in
            let (lamp, key) = (Int.random(in: 0..<10, using: &random), Int.random(in: 0..<1_000, using: &random))
            if first[key * 10 + lamp] == nil {
                seqs[lamp] += 1
                first[key * 10 + lamp] = "\(seqs[lamp])"
            }
            expected.append(first[key * 10 + lamp] ?? "")
            return Self.flip("lamp-\(lamp)", key: "key \(key)")
        }
        #expect(Self.told(try await running.engine.send(commands)) == expected)
        try await running.stop()
        let again = try folder.open()
        let counts = try await Verification(of: again).run { event in
            if case .inconsistency(let finding) = event { Issue.record("verify: \(finding)") }
        }
        #expect(counts.differences == 0)
        try again.writer().close()
    }
}
