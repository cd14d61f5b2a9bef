import Observation
import Seeds
import StateMachines
import Testing

/// A model of a view: it owns a machine, and shows the machine's moves as observable properties.
@MainActor @Observable final class RocketModel {
    private(set) var state: Rocket.State
    private(set) var count: Int
    private let machine: StateMachine<Rocket>

    init() throws {
        machine = try StateMachine(Rocket.self)
        state = machine.state
        count = machine.context.count
        machine.onTransition(with: self) { model, move in
            model.state = move.state
            model.count = move.context.count
        }
    }

    func fire() { machine.attempt(.fire) }

    /// Counts by the clock until the task that calls it is cancelled, such as the task of a view.
    func run(clock: some Clock<Duration> = ContinuousClock()) async throws { try await machine.run(clock: clock) }
}

@MainActor struct ObservableTests {
    @Test func aViewIsToldOfEachChange() throws {
        let model = try RocketModel()
        var changes = 0
        let show = {
            withObservationTracking {
                "\(model.state.rawValue) \(model.count)"
            } onChange: {
                MainActor.assumeIsolated { changes += 1 }
            }
        }
        #expect(show() == "standby 0")
        model.fire()
        #expect(changes == 1)
        #expect(show() == "countdown.tick 5")
        // Nothing changes: the rocket is on its way.
        model.fire()
        #expect(changes == 1)
    }

    @Test func aClockRunsAsLongAsItsTask() async throws {
        let model = try RocketModel()
        let clock = Task { try await model.run() }
        model.fire()
        clock.cancel()
        await #expect(throws: CancellationError.self) { try await clock.value }
        #expect(model.state == .tick)
    }
}
