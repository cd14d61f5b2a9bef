public import StateMachines

/// A rocket with two buttons: counts down from 5, one step each second, and is launched at 0.
public enum Rocket: MachineDefinition {
    // Dots make the tree: `tick` lies in `countdown`.
    public enum State: String, MachineState { case standby, countdown, tick = "countdown.tick", launched }
    public enum Event: String, MachineEvent { case fire, abort, land }

    public struct Context: Codable, Sendable, Equatable {
        public var count = 0
    }

    public static let definition = Definition<Self>("rocket", initial: .standby, context: Context()) {
        In(.standby) { On(.fire, to: .countdown) }
        // Entering always sets 5 again; leaving stops the clock, because the timer belongs to the state.
        In(.countdown, initial: .tick, entry: [.assign(["count": 5])]) { On(.abort, to: .standby) }
        In(.tick) {
            After(
                .seconds(1), to: .tick, if: "context.count > 1", reenter: true,
                .assign(["count": "context.count - 1"]))
            After(.seconds(1), to: .launched, .assign(["count": 0]))
        }
        In(.launched) { On(.land, to: .standby) }
    }
}

/// The view of the rocket. It is not `Sendable`, and lives on the main actor, like its machine and its observer.
@MainActor public final class RocketView {
    public let machine: StateMachine<Rocket>
    public private(set) var isFireEnabled = true
    public private(set) var hasFlown = false

    public init() throws {
        machine = try StateMachine(Rocket.self)
        machine.onTransition { [unowned self] move in
            isFireEnabled = move.to == [.standby]
            if (move.from, move.to) == ([.tick], [.launched]) { hasFlown = true }
        }
    }

    public func fire() { machine.attempt(.fire) }
}
