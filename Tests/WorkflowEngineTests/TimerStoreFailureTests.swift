import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests batches with timers that cannot be written: no timer is lost or fires twice, and the writer does not spin.
@Suite struct TimerStoreFailureTests {
    private static let ticker = """
        id: ticker
        initial: on
        states:
          on: {after: {1s: {target: on, reenter: true}}, on: {look: {}}}
        """

    private static func running(
        _ names: [String], _ store: FakeStore, _ clock: HandClock, pause: Duration = .milliseconds(20)
    ) async throws -> RunningEngine {
        var limits = EngineLimits()
        limits.timerPause = pause
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits, clock: clock)
        _ = try await running.engine.apply(ticker, syntax: .yaml)
        for name in names { _ = try await running.engine.start(StartCommand(machine: "ticker", instance: name)) }
        return running
    }

    /// Returns the times at which an instance's timers fired.
    private static func fired(_ name: String, _ store: FakeStore) -> [Int64] {
        store.content.withLock { content in
            content.journal.filter {
                $0.instanceID == content.instances[InstanceKey(InstanceName(rawValue: name), in: .default)]?.id
                    && $0.kind == .timer
            }.map {
                $0.at.rawValue - 1_700_000_000_000
            }
        }
    }

    private static func due(_ store: FakeStore, _ clock: HandClock) -> [TimerRecord] {
        store.content.withLock { $0.timers.filter { $0.key.due <= clock.now() } }
    }

    @Test(.onePartition("the batches of one lane are counted"), .timeLimit(.minutes(20)))
    func aBatchThatWasNotWrittenIsFiredAgainAfterAPause() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let running = try await Self.running(["a", "b"], store, clock)
        store.fail { attempt, _ in attempt <= 3 ? StoreError(.unavailable, "full") : nil }
        let begin = ContinuousClock.now
        clock.advance(3_000)
        running.engine.clockWasMoved()
        try await eventually("the timers have fired") { Self.due(store, clock).isEmpty }
        #expect(ContinuousClock.now - begin >= .milliseconds(60))
        #expect(Self.fired("a", store) == [1_000, 2_000, 3_000])
        #expect(Self.fired("b", store) == [1_000, 2_000, 3_000])
        #expect(store.tries == 4)
        try await running.stop()
    }

    /// Timers that cannot be read for a moment must not wait for a restart.
    @Test(.onePartition("the batches of one lane are counted"), .timeLimit(.minutes(20)))
    func timersThatCannotBeReadAreFiredAfterAPause() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let running = try await Self.running(["a", "b"], store, clock)
        let begin = ContinuousClock.now
        store.content.withLock { $0.failingLookups = 3 }
        clock.advance(3_000)
        running.engine.clockWasMoved()
        try await eventually("the timers have fired") { Self.due(store, clock).isEmpty }
        #expect(ContinuousClock.now - begin >= .milliseconds(60))
        #expect(Self.fired("a", store) == [1_000, 2_000, 3_000])
        #expect(Self.fired("b", store) == [1_000, 2_000, 3_000])
        try await running.stop()
    }

    /// A store on another machine may be away: the writer waits for it and goes on.
    @Test(.timeLimit(.minutes(20))) func aStoreThatIsAwayDoesNotEndTheWriter() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let running = try await Self.running(["a"], store, clock)
        store.content.withLock { $0.failingTimerReads = 5 }
        store.fail { attempt, _ in attempt <= 2 ? StoreError(.unavailable, "away") : nil }
        await #expect(throws: Rejection.self) {
            _ = try await running.engine.send(SendCommand(instance: "a", event: Event(name: "look")))
        }
        clock.advance(3_000)
        running.engine.clockWasMoved()
        try await eventually("the timers have fired") { Self.due(store, clock).isEmpty }
        try await eventually("it is ready again") { running.engine.currentHealth == .ready }
        #expect(store.content.withLock { $0.failingTimerReads } <= 0)
        #expect(Self.fired("a", store) == [1_000, 2_000, 3_000])
        _ = try await running.engine.send(SendCommand(instance: "a", event: Event(name: "look")))
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func theWriterDoesNotSpinWhileTheStoreCannotWrite() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let running = try await Self.running(["a"], store, clock, pause: .seconds(1_000))
        store.fail { _, _ in StoreError(.unavailable, "full") }
        clock.advance(5_000)
        running.engine.clockWasMoved()
        try await eventually("it has been tried") { store.tries == 1 }
        // A caller is told of it, and nothing more is tried for the timers.
        for number in 0..<20 {
            running.engine.clockWasMoved()
            let answer: String
            do throws(Rejection) {
                _ = try await running.engine.send(SendCommand(instance: "a", event: Event(name: "look")))
                answer = "none"
            } catch {
                answer = error.kind
            }
            #expect(answer == "storageUnavailable")
            #expect(store.tries == number + 2)
        }
        // A command takes what is due on its instance with it.
        store.fail { _, _ in nil }
        _ = try await running.engine.send(SendCommand(instance: "a", event: Event(name: "look")))
        #expect(Self.fired("a", store) == [1_000, 2_000, 3_000, 4_000, 5_000])
        try await running.stop()
    }

    @Test(.onePartition("the batches of one lane are counted"), .timeLimit(.minutes(20)))
    func onlyTheTimersThatBreakAConstraintAreLeftAlone() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let names = ["a", "bad", "b", "c"]
        var running = try await Self.running(names, store, clock)
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "bad" } ? StoreError(.constraint, "bad") : nil
        }
        clock.advance(2_000)
        running.engine.clockWasMoved()
        try await eventually("the others have fired") { Self.due(store, clock).count == 1 }
        for name in ["a", "b", "c"] { #expect(Self.fired(name, store) == [1_000, 2_000], "\(name)") }
        #expect(Self.fired("bad", store) == [])
        let tries = store.tries
        // The timers that do fire go together again.
        clock.advance(1_000)
        running.engine.clockWasMoved()
        try await eventually("the others have fired again") { Self.due(store, clock).count == 1 }
        #expect(store.tries == tries + 1)
        // The bad timer is tried again after a restart.
        store.fail { _, _ in nil }
        try await running.stop()
        let again = store.reopened()
        running = try await Self.running([], again, clock)
        try await eventually("all have fired") { Self.due(again, clock).isEmpty }
        #expect(Self.fired("bad", again) == [1_000, 2_000, 3_000])
        try await running.stop()
    }

    /// A command that breaks a constraint in a batch with timers is rejected, and the timers fire.
    @Test(.timeLimit(.minutes(20))) func aCommandThatBreaksAConstraintTakesNoTimersWithIt() async throws {
        let store = FakeStore()
        let clock = HandClock()
        let running = try await Self.running(["a", "b", "c"], store, clock)
        _ = try await running.start("lamp-1")
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "lamp-1" } ? StoreError(.constraint, "lamp") : nil
        }
        for round in 1...5 {
            clock.advance(1_000)
            let answer: String
            do throws(Rejection) {
                _ = try await running.flip("lamp-1")
                answer = "none"
            } catch {
                answer = error.kind
            }
            #expect(answer == "fault")
            running.engine.clockWasMoved()
            try await eventually("the timers of round \(round) have fired") { Self.due(store, clock).isEmpty }
        }
        let all: [Int64] = [1_000, 2_000, 3_000, 4_000, 5_000]
        for name in ["a", "b", "c"] { #expect(Self.fired(name, store) == all, "\(name)") }
        try await running.stop()
    }
}
