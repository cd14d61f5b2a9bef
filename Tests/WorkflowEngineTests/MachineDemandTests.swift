import Foundation
import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore
import WorkflowThreads

/// Tests a stored machine version that is not in use yet. It is compiled beside the writer: callers that need it wait,
/// and no others.
@Suite(.timeLimit(.minutes(20))) struct MachineDemandTests {
    private static func door(_ name: String) -> String {
        """
        id: \(name)
        initial: shut
        states:
          shut: {on: {push: ajar}, after: {1h: locked}}
          ajar: {on: {push: open}}
          open: {on: {push: shut}}
          locked: {}
        """
    }

    /// A thread that compiles on request.
    private final class HeldThread: Sendable {
        let threads = BackgroundThreads("held-compile", count: 1)
        private let turn = DispatchSemaphore(value: 0)

        func hold() { threads.runFirst { [turn] in turn.wait() } }
        func release() { turn.signal() }

        /// Runs all jobs of the thread, and waits for their ends.
        func finish() {
            let end = DispatchSemaphore(value: 0)
            threads.runFirst { end.signal() }
            release()
            end.wait()
        }
    }

    /// The answers to callers, in the order in which they came.
    private final class Told: Sendable {
        private let all = Mutex<[String]>([])

        var now: [String] { all.withLock { $0 } }

        func add(_ who: String, _ outcome: Result<SendResult, Rejection>) {
            all.withLock { told in
                switch outcome {
                case .success(let event): told.append("\(who) \(event.seq.rawValue)")
                case .failure(let rejection): told.append("\(who) \(rejection.kind)")
                }
            }
        }
    }

    private let held = HeldThread()
    private let told = Told()
    private let clock = HandClock()

    /// Returns an engine that was restarted on a store with an instance of each machine, and compiles nothing until it
    /// is released. `lamp-1` is of a machine that is in use.
    private func restarted(_ machines: String...) async throws -> RunningEngine {
        let store = FakeStore()
        let first = try await RunningEngine(store: store, clock: clock)
        for machine in machines {
            _ = try await first.engine.apply(Self.door(machine), syntax: .yaml)
            _ = try await first.engine.start(StartCommand(machine: machine, instance: machine))
        }
        try await first.start("lamp-1")
        try await first.stop()
        let again = try await RunningEngine(store: store.reopened(), clock: clock, compiling: held.threads)
        held.hold()
        return again
    }

    /// Adds an event to the queue without waiting for it.
    private func push(_ name: String, in running: RunningEngine) {
        running.engine.begin(SendCommand(instance: name, event: Event(name: "push"))) { [told] in told.add(name, $0) }
    }

    @Test func whileAVersionIsCompiledOthersGoOn() async throws {
        let running = try await restarted("front", "back")
        for name in ["front", "front", "back", "front"] { push(name, in: running) }
        for seq in 2...20 {
            #expect(try await running.flip("lamp-1").seq.rawValue == Int64(seq))
        }
        #expect(told.now.isEmpty)
        held.release()
        try await eventually("all are told") { told.now.count == 4 }
        // Each instance has its order.
        #expect(told.now.filter { $0.hasPrefix("front") } == ["front 2", "front 3", "front 4"])
        #expect(told.now.contains("back 2"))
        try await running.stop()
    }

    @Test func nobodyOvertakesWhoWaits() async throws {
        let running = try await restarted("front")
        push("front", in: running)
        // A later command for the same instance has its turn later, whether or not the version is compiled by then.
        _ = try await running.flip("lamp-1")
        held.release()
        push("front", in: running)
        push("front", in: running)
        try await eventually("all are told") { told.now.count == 3 }
        #expect(told.now == ["front 2", "front 3", "front 4"])
        try await running.stop()
    }

    @Test func aTimerOfSuchAMachineFiresOnceItIsCompiled() async throws {
        let running = try await restarted("front")
        clock.advance(2 * 3_600_000)
        running.engine.clockWasMoved()
        for _ in 0..<10 { _ = try await running.flip("lamp-1") }
        // A watcher is answered meanwhile.
        let late = try await running.engine.lateTimers(by: .test)
        #expect(late?.count == 1 && late?.milliseconds == 3_600_000)
        held.release()
        try await eventually("the timer has fired") {
            try await running.engine.instance(named: "front", by: .test).record.state.configuration.contains("locked")
        }
        #expect(try await running.engine.lateTimers(by: .test) == nil)
        try await running.stop()
    }

    /// One batch takes the timers of both. At the second one, the version that the first waits for is there.
    @Test func noTimerOvertakesOneThatWaitsForTheSameMachine() async throws {
        let store = FakeStore()
        let first = try await RunningEngine(store: store, clock: clock)
        _ = try await first.engine.apply(Self.door("front"), syntax: .yaml)
        for name in ["first", "second"] {
            _ = try await first.engine.start(StartCommand(machine: "front", instance: name))
            clock.advance(1_000)
        }
        try await first.stop()
        let opened = store.reopened()
        let running = try await RunningEngine(store: opened, clock: clock, compiling: held.threads)
        held.hold()
        let second = InstanceKey(InstanceName(rawValue: "second"), in: .default)
        opened.content.withLock { content in
            content.isSeeking = { [held, opened] key in
                guard key == second else { return }
                opened.content.withLock { $0.isSeeking = { _ in } }
                held.finish()
            }
        }
        clock.advance(2 * 3_600_000)
        running.engine.clockWasMoved()
        func fired() -> [Timestamp] {
            opened.content.withLock { $0.journal.filter { $0.kind == .timer }.map(\.at) }
        }
        try await eventually("both timers have fired") { fired().count == 2 }
        try await running.stop()
        #expect(fired() == fired().sorted())
    }

    @Test func readingWaitsForTheSameThread() async throws {
        let running = try await restarted("front")
        async let front = running.engine.instance(named: "front", by: .test)
        _ = try await running.flip("lamp-1")
        held.release()
        #expect(try await front.machine.name == "front")
        try await running.stop()
    }

    @Test func whoWaitsIsAnsweredBeforeTheDaemonStops() async throws {
        let running = try await restarted("front")
        push("front", in: running)
        _ = try await running.flip("lamp-1")
        await running.beginStop()
        held.release()
        try await running.ended()
        #expect(told.now == ["front 2"])
    }

    /// Lines are applied in their order: none passes a waiting one.
    @Test(.onePartition("lines of different lanes do not wait for each other"))
    func linesBehindOneThatWaitsWaitToo() async throws {
        let running = try await restarted("front")
        let push = LineCommand.send(SendCommand(instance: "front", event: Event(name: "push")))
        let start = LineCommand.start(StartLine(StartCommand(machine: "lamp", instance: "lamp-2")))
        let sends = try await running.engine.beginWhenRoom([push, start, push], in: CommandSequence())
        for _ in 0..<2 { _ = try await running.flip("lamp-1") }
        let early = await #expect(throws: Rejection.self) {
            _ = try await running.engine.instance(named: "lamp-2", by: .test)
        }
        #expect(early?.code == .instanceNotFound)
        held.release()
        #expect(try await sends.outcomes().map { try $0.get().seq.rawValue } == [2, 1, 3])
        try await running.stop()
    }

    @Test(.onePartition("the batches of one lane are counted"))
    func eventsOfManyMachinesGoTogetherOnceAllAreCompiled() async throws {
        let names = ["front", "back", "side"]
        let running = try await restarted("front", "back", "side")
        async let sent = running.engine.sendTogether(
            names.map { SendCommand(instance: $0, event: Event(name: "push")) })
        for _ in 0..<10 { _ = try await running.flip("lamp-1") }
        held.release()
        #expect(try await sent.map(\.seq.rawValue) == [2, 2, 2])
        try await running.stop()
    }

    @Test func whatIsNotWrittenMeanwhileKeepsItsOrder() async throws {
        let store = FakeStore()
        let first = try await RunningEngine(store: store, clock: clock)
        _ = try await first.engine.apply(Self.door("front"), syntax: .yaml)
        _ = try await first.engine.start(StartCommand(machine: "front", instance: "front"))
        try await first.start("lamp-1")
        try await first.stop()
        let opened = store.reopened()
        let running = try await RunningEngine(store: opened, clock: clock, compiling: held.threads)
        held.hold()
        push("front", in: running)
        opened.fail { attempt, _ in attempt == 1 ? StoreError(.unavailable, "full") : nil }
        await #expect(throws: Rejection.self) { _ = try await running.flip("lamp-1") }
        push("front", in: running)
        _ = try await running.flip("lamp-1")
        held.release()
        try await eventually("both are told") { told.now.count == 2 }
        #expect(told.now == ["front 2", "front 3"])
        try await running.stop()
    }
}
