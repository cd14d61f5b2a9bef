import EngineFloor
import Seeds
import StateMachines
import Statechart

/// The figures of the Swift library: the cost of types beside the step and the engine that they use. In memory on one
/// core.
enum LibraryFigures {
    static let figures = [
        Figure(
            id: "library.names", title: "typed send, names / the step", unit: .perSecond, goal: .ratioAtLeast(0.75),
            isQuick: true, begin: { try LoopContest($0, try names()) }),
        Figure(
            id: "library.values", title: "typed send, values in and out", unit: .perSecond, goal: .atLeast(300_000),
            isQuick: true, begin: { try LoopContest($0, try values()) }),
        Figure(
            id: "library.sent", title: "send of a flat machine / a dictionary", unit: .perSecond,
            goal: .ratioAtLeast(1 / 4), isQuick: true, begin: { try LoopContest($0, try LibraryLoops.sent()) }),
        Figure(
            id: "library.refused", title: "attempt that is refused / a dictionary", unit: .perSecond,
            goal: .ratioAtLeast(1 / 4), isQuick: true, begin: { try LoopContest($0, try LibraryLoops.refused()) }),
        Figure(
            id: "library.asked", title: "canSend / a dictionary", unit: .perSecond,
            goal: .ratioAtLeast(0.33), isQuick: true, begin: { try LoopContest($0, try LibraryLoops.asked()) }),
        Figure(
            id: "library.idle", title: "update without timer / a dictionary", unit: .perSecond,
            goal: .ratioAtLeast(1), isQuick: true, begin: { try LoopContest($0, try LibraryLoops.idle()) }),
        Figure(
            id: "library.data", title: "send, values in and out / a dictionary", unit: .perSecond,
            goal: .ratioAtLeast(0.033), isQuick: true, begin: { try LoopContest($0, try LibraryLoops.withValues()) }),
        Figure(
            id: "library.file", title: "FileHost, 500 tasks that send / the engine", unit: .perSecond,
            goal: .ratioAtLeast(0.9), isQuick: true, begin: { try await FileHostContest<Lamp>(.flip, $0) }),
    ]

    /// A machine with two states and one event.
    private enum Lamp: MachineDefinition {
        enum State: String, MachineState { case off, on }
        enum Event: String, MachineEvent { case flip }

        static let definition = Definition<Self>("lamp", initial: .off) {
            Path(from: .off, to: .on, by: .flip)
            Path(from: .on, to: .off, by: .flip)
        }
    }

    private static func names() throws -> Loops {
        Loops(
            ours: { count in
                let machine = try StateMachine(Lamp.self)
                for _ in 0..<count { try machine.send(.flip) }
                return count
            },
            floor: try StepLoops.flat().ours)
    }

    /// Returns the loops for events with data, and states with values of the context. The floor is the step with the
    /// same data.
    private static func values() throws -> Loops {
        Loops(
            ours: { count in
                let machine = try StateMachine(Request.self)
                let events: [Request.Event] = [.fetch, .succeed("Ada"), .reset]
                for number in 0..<count { try machine.send(events[number % 3]) }
                return count
            },
            floor: { count in
                let machine = try DefinitionReader.read(Request.text).machine
                let identity = InstanceIdentity(name: "bench", version: 1, startedAt: .zero)
                guard case .accepted(let started) = machine.apply(.start(), to: nil, as: identity) else { return 0 }
                var snapshot = started.snapshot
                let events: [Statechart.Event] = [
                    Event(name: "fetch"), Event(name: "succeed", data: "Ada"), Event(name: "reset"),
                ]
                for number in 0..<count {
                    let outcome = machine.apply(.event(events[number % 3]), to: snapshot, as: identity)
                    guard case .accepted(let macrostep) = outcome else { return number }
                    snapshot = macrostep.snapshot
                }
                return count
            })
    }
}
