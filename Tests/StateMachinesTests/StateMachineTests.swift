import StateMachines
import Synchronization
import Testing

/// A light with a button that also sends events to itself.
private enum Light: MachineDefinition {
    enum State: String, MachineState { case off, on, broken }
    enum Event: String, MachineEvent { case press, flash, smash }

    struct Context: Codable, Sendable, Equatable {
        var presses = 0
    }

    static let definition = Definition<Self>("light", initial: .off, context: Context()) {
        In(.off) { On(.press, to: .on, .assign(["presses": "context.presses + 1"])) }
        In(.on) {
            On(.press, to: .off)
            On(.flash, .send(Event.press), .send(Event.press))
            After(.seconds(2), to: .off)
            After(.seconds(5), to: .broken)
        }
        In { On(.smash, to: .broken, if: "context.presses > 1") }
        In(.broken, .final)
    }
}

struct StateMachineTests {
    @Test func whatItSendsToItselfBelongsToTheAnswer() throws {
        let machine = try StateMachine(Light.self)
        var told: [String] = []
        machine.onTransition { told.append("\($0.event) \($0)") }
        try machine.send(.press)
        let move = try machine.send(.flash)
        #expect("\(move)" == "on -> on   (seq 2 -> 5)")
        #expect(move.exited == [.on, .off])
        #expect(move.state == machine.state)
        #expect(
            told == [
                "press off -> on   (seq 1 -> 2)", "flash on -> on   (seq 2 -> 3)", "press on -> off   (seq 3 -> 4)",
                "press off -> on   (seq 4 -> 5)",
            ])
    }

    @Test func whatAnObserverSendsIsToldAfter() throws {
        let machine = try StateMachine(Light.self)
        var first: [Int64] = []
        var second: [Int64] = []
        machine.onTransition { [unowned machine] move in
            first.append(move.seq)
            if move.seq == 2 { _ = machine.attempt(.press) }
        }
        machine.onTransition { second.append($0.seq) }
        try machine.send(.press)
        #expect(first == [2, 3])
        #expect(second == [2, 3])
        #expect(machine.state == .off)
    }

    @Test func timersFireEachAtItsOwnTime() throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        #expect(machine.value.nextTimer == .seconds(2))
        let moves = machine.advance(by: .seconds(60))
        #expect(moves.map(\.to) == [[.off]])
        #expect(machine.value.nextTimer == nil)
    }

    @Test func sixtyFramesAreASecond() throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        for _ in 0..<119 { machine.advance(by: .seconds(1) / 60) }
        #expect(machine.state == .on)
        machine.advance(by: .seconds(1) / 60 + .milliseconds(1))
        #expect(machine.state == .off)
    }

    @Test func whatShouldTransitionRefusesByItselfIsGone() throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        machine.shouldTransition = { _, to in to != .off }
        #expect(machine.advance(by: .seconds(3)).isEmpty)
        #expect(machine.state == .on)
        #expect(machine.value.nextTimer == .seconds(5))
        #expect(machine.advance(by: .seconds(3)).map(\.to) == [[.broken]])
        #expect(machine.status == .done)
    }

    /// A time beyond the range is the end of time, and does not trap.
    @Test func timeHasAnEnd() throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        #expect(machine.advance(by: .seconds(Int64.max)).count == 1)
        let late = try StateMachine(Light.self, at: .seconds(Int64.max))
        _ = late.attempt(.press)
        #expect(late.advance(by: .seconds(Int64.max)).count <= 1)
    }

    @Test func nothingIsSentWhileItIsAsked() throws {
        let machine = try StateMachine(Light.self)
        var reason: Refusal<Light>.Reason?
        machine.shouldTransition = { [unowned machine] _, _ in
            do throws(Refusal<Light>) { try machine.send(.press) } catch { reason = error.reason }
            return true
        }
        try machine.send(.press)
        #expect(reason == .busy)
        #expect(machine.value.seq == 2)
    }

    @Test func guardsSayWhy() throws {
        let machine = try StateMachine(Light.self)
        #expect(!machine.canSend(.smash))
        #expect(machine.canSend(.press))
        let refusal = #expect(throws: Refusal<Light>.self) { try machine.send(.smash) }
        #expect(refusal?.reason == .guardRejected)
        #expect(refusal?.description.contains("'context.presses > 1'") == true)
        #expect(refusal?.description.contains("context.presses = 0") == true)
    }

    @Test func aMachineThatIsDoneSaysSo() throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        try machine.send(.press)
        try machine.send(.press)
        try machine.send(.smash)
        let refusal = #expect(throws: Refusal<Light>.self) { try machine.send(.press) }
        #expect(refusal?.reason == .finished)
        #expect(refusal?.description == "light, in state 'broken' (seq 5), is done and accepts no more events")
    }

    @Test func aStreamHasTheMovesUntilItIsDone() async throws {
        let machine = try StateMachine(Light.self)
        let moves = machine.transitions
        for _ in 0..<3 { try machine.send(.press) }
        try machine.send(.smash)
        var seqs: [Int64] = []
        for await move in moves { seqs.append(move.seq) }
        #expect(seqs == [2, 3, 4, 5])
    }

    @Test func aStreamThatNobodyReadsKeepsTheNewest() async throws {
        let machine = try StateMachine(Screens.Loop.self)
        let moves = machine.transitions
        for _ in 0..<2_000 { try machine.send(.again) }
        withExtendedLifetime(machine) {}
        var iterator = moves.makeAsyncIterator()
        #expect(await iterator.next()?.seq == 2_001 - 1_023)
    }

    @Test func aBehaviorThatComesLateIsToldWhereItIs() throws {
        final class Lamp: StateBehavior {
            typealias Machine = Light
            var log: [String] = []
            func didEnter(from previous: Light.State?) { log.append("in from \(previous?.rawValue ?? "nowhere")") }
            func willExit(to next: Light.State) { log.append("out to \(next.rawValue)") }
            func update(deltaTime: Duration) { log.append("\(deltaTime)") }
        }
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        let lamp = Lamp()
        machine.set(lamp, for: .on)
        machine.update(deltaTime: .seconds(1))
        try machine.send(.press)
        try machine.send(.press)
        #expect(lamp.log == ["in from nowhere", "1.0 seconds", "out to off", "in from off"])
    }
}

extension Screens {
    fileprivate enum Loop: MachineDefinition {
        enum State: String, MachineState { case here }
        enum Event: String, MachineEvent { case again }
        static let definition = Definition<Self>("loop", initial: .here) { In(.here) { On(.again) } }
    }
}

private enum Screens {}

/// Tests `run` with a clock that the test moves.
struct StateMachineClockTests {
    @Test @MainActor func timersFireByTheClock() async throws {
        let machine = try StateMachine(Light.self)
        let clock = HandClock()
        let moves = machine.transitions
        let running = Task { @MainActor in try await machine.run(clock: clock) }
        try machine.send(.press)
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(2))
        var seen: [Light.State] = []
        for await move in moves {
            seen += move.to
            if seen.count == 2 { break }
        }
        #expect(seen == [.on, .off])
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    /// A refused event does not hold back events that were due before it.
    @Test @MainActor func whatWasDueBeforeARefusalIsTold() async throws {
        let machine = try StateMachine(Light.self)
        let clock = HandClock()
        var told: [Light.State] = []
        machine.onTransition { told += $0.to }
        let running = Task { @MainActor in try await machine.run(clock: clock) }
        await clock.waitForSleeper(until: .seconds(86_400))
        try machine.send(.press)
        // Nobody else is let in before the refusal: this is on the main actor, as `run` is.
        clock.advance(by: .seconds(2))
        #expect(!machine.attempt(.smash))
        #expect(told == [.on, .off])
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    /// The elapsed time stays when the clock is removed.
    @Test @MainActor func timeThatRanIsKept() async throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        let clock = HandClock()
        let running = Task { @MainActor in try await machine.run(clock: clock) }
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(1))
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(machine.state == .on)
        #expect(machine.advance(by: .seconds(1)).count == 1)
        #expect(machine.state == .off)
    }

    /// A view that disappears and appears again cancels its task, and does not wait for the end of it.
    @Test(arguments: [true, false]) @MainActor func aLaterRunTakesOver(isCancelled: Bool) async throws {
        let machine = try StateMachine(Light.self)
        try machine.send(.press)
        let clock = HandClock()
        let first = Task { @MainActor in try await machine.run(clock: clock) }
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(1))
        if isCancelled { first.cancel() }
        let second = Task { @MainActor in try await machine.run(clock: clock) }
        await #expect(throws: CancellationError.self) { try await first.value }
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(1))
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        machine.advance(by: .seconds(Int64.max))
        machine.advance(by: .seconds(Int64.min))
        #expect(machine.state == .off && machine.value.nextTimer == nil)
    }

    /// An event that is sent during the sleep has the clock's time, and its timers wake the sleeper.
    @Test @MainActor func anEventWakesTheSleeper() async throws {
        let machine = try StateMachine(Light.self)
        let clock = HandClock()
        let running = Task { @MainActor in try await machine.run(clock: clock) }
        await clock.waitForSleeper(until: .seconds(86_400))
        clock.advance(by: .seconds(10))
        try machine.send(.press)
        #expect(machine.value.nextTimer == .seconds(12))
        await clock.waitForSleeper(until: .seconds(12))
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}

/// A clock that stands still until the test moves it.
private final class HandClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        let time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
        var last = 0
        var waiters: [(until: Duration, tell: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    var now: Instant { Instant(time: state.withLock { $0.now }) }
    var minimumResolution: Duration { .zero }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.wake)
        }
        for wake in due { wake.resume() }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let tellers: [CheckedContinuation<Void, Never>] = state.withLock { state in
                    if Task.isCancelled {
                        wake.resume(throwing: CancellationError())
                    } else if deadline.time <= state.now {
                        wake.resume()
                    } else {
                        state.sleepers[id] = (deadline.time, wake)
                    }
                    let told = state.waiters.filter { $0.until == deadline.time }
                    state.waiters.removeAll { $0.until == deadline.time }
                    return told.map(\.tell)
                }
                for teller in tellers { teller.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume(throwing: CancellationError())
        }
    }

    /// Returns when a task sleeps until this time.
    func waitForSleeper(until time: Duration) async {
        await withCheckedContinuation { tell in
            let isThere = state.withLock { state in
                if state.sleepers.values.contains(where: { $0.until == time }) { return true }
                state.waiters.append((time, tell))
                return false
            }
            if isThere { tell.resume() }
        }
    }
}
