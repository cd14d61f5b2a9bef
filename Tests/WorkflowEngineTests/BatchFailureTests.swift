import IdentityTesting
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests commits of several commands that fail together: the faulty command is identified, and every caller gets an
/// answer.
@Suite(.onePartition("the batches of one lane are counted"))
struct BatchFailureTests {
    /// Sends to several instances while the writer is held up, so that the events form one batch. Returns the answers.
    private static func tell(
        _ names: [String], _ running: RunningEngine, _ store: FakeStore
    ) async throws -> [String: String] {
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        let told = await withTaskGroup(of: (String, String).self) { group in
            for name in names {
                // An immediate task runs at once until it has to wait: for its answer, with its command in the queue.
                group.addImmediateTask {
                    do throws(Rejection) {
                        _ = try await running.flip(name)
                        return (name, "accepted")
                    } catch {
                        return (name, error.kind)
                    }
                }
            }
            store.hold.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        _ = try await held
        return told
    }

    /// Returns an engine with some instances, and one that holds up the writer.
    private static func engine(_ names: [String], on store: FakeStore) async throws -> RunningEngine {
        var limits = EngineLimits()
        // However slow this machine is, a batch is not closed before its time.
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits)
        for name in names + ["held"] { try await running.start(name) }
        return running
    }

    @Test(.timeLimit(.minutes(20))) func whatWaitsWhileTheWriterIsBusyFormsOneBatch() async throws {
        let store = FakeStore()
        let names = ["a", "b", "c", "d"]
        let running = try await Self.engine(names, on: store)
        store.fail { _, _ in nil }
        let told = try await Self.tell(names, running, store)
        #expect(Set(told.values) == ["accepted"])
        #expect(store.tries == 2)
        #expect(running.engine.statistics.counts.largestBatch == 4)
        try await running.stop()
        #expect(store.content.withLock { $0.isClosed })
    }

    @Test(.timeLimit(.minutes(20))) func ofABatchThatBreaksAConstraintOnlyTheCulpritFails() async throws {
        let store = FakeStore()
        let names = ["a", "bad", "b", "c"]
        let running = try await Self.engine(names, on: store)
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "bad" } ? StoreError(.constraint, "bad") : nil
        }
        let told = try await Self.tell(names, running, store)
        #expect(told == ["a": "accepted", "bad": "fault", "b": "accepted", "c": "accepted"])
        // The six are the held command, the batch, and each of the four alone.
        #expect(store.tries == 6)
        for (name, seq) in [("a", 2), ("bad", 1), ("b", 2), ("c", 2)] {
            #expect(store.record(name)?.seq.rawValue == Int64(seq))
        }
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aBatchWithoutRoomIsRefusedWhole() async throws {
        let store = FakeStore()
        let names = ["a", "b", "c"]
        let running = try await Self.engine(names, on: store)
        store.fail { number, _ in number == 2 ? StoreError(.unavailable, "full") : nil }
        let told = try await Self.tell(names, running, store)
        #expect(told == ["a": "storageUnavailable", "b": "storageUnavailable", "c": "storageUnavailable"])
        for name in names { #expect(try await running.flip(name).seq.rawValue == 2) }
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func everybodyIsAnsweredWhenTheDiskFailsWhileABatchIsRunAgain() async throws {
        let store = FakeStore()
        let names = ["a", "b", "c", "d"]
        let running = try await Self.engine(names, on: store)
        store.fail { number, _ in
            switch number {
            case 1: nil
            case 2: StoreError(.constraint, "somebody")
            case 3: nil
            default: StoreError(.outcomeUnknown, "made to fail")
            }
        }
        let told = try await Self.tell(names, running, store)
        #expect(
            told.values.sorted() == ["accepted", "outcomeUnknown", "storageUnavailable", "storageUnavailable"])
        #expect(store.tries == 4)
        await #expect(throws: StoreError.self) { try await running.ended() }
    }
}
