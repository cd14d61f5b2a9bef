import JSON
import Statechart

/// One instance of a definition, run by the step under test. All that the property tests know of its interface.
struct StepAdapter {
    /// How many microsteps and internal events one macrostep may have.
    static let workLimit = StepLimits.work

    private static let identity = InstanceIdentity(name: "random", version: 1, startedAt: .zero)

    private let machine: Machine
    private var snapshot: Snapshot?
    /// The stored form of `snapshot`, as the writer keeps it up to date.
    private var text: SnapshotText?

    /// Why a definition was refused, one line for each mistake.
    struct Refused: Error {
        let mistakes: [String]
    }

    /// Reads a definition.
    init(_ definition: String) throws(Refused) {
        do throws(DefinitionError) {
            machine = try DefinitionReader.read(definition, syntax: .json).machine
        } catch {
            throw Refused(mistakes: error.diagnostics.filter { $0.severity == .error }.map(\.description))
        }
    }

    /// Starts the instance; a refusal leaves it as it was.
    mutating func start() -> Observation {
        observed(machine.start(as: Self.identity))
    }

    /// Sends an event to the instance, which must have been started; a refusal leaves it as it was.
    mutating func send(_ event: String) -> Observation {
        guard let snapshot else { return .refused(.finished) }
        return observed(machine.step(snapshot, Event(name: event), as: Self.identity))
    }

    private mutating func observed(_ outcome: Outcome) -> Observation {
        switch outcome {
        case .refused(let refusal): return .refused(Self.reason(refusal))
        case .accepted(let macrostep):
            let text =
                if let snapshot, let known = self.text {
                    machine.text(of: macrostep.snapshot, after: snapshot, known)
                } else {
                    machine.text(of: macrostep.snapshot)
                }
            snapshot = macrostep.snapshot
            self.text = text
            return .accepted(observed(macrostep, text))
        }
    }

    private func observed(_ macrostep: Macrostep, _ text: SnapshotText) -> Observation.Macrostep {
        let snapshot = macrostep.snapshot
        return Observation.Macrostep(
            exited: machine.paths(of: macrostep.exited), entered: machine.paths(of: macrostep.entered),
            configuration: machine.paths(of: snapshot.configuration.filter { $0 != .root }),
            isDone: snapshot.status == .done, context: text.context,
            memory: snapshot.memory.map { memory in
                "\(machine[memory.history].path): \(machine.paths(of: memory.states).joined(separator: ", "))"
            })
    }

    private static func reason(_ refusal: Refusal) -> Observation.Refusal {
        switch refusal {
        case .unknownEvent: .unknownEvent
        case .notAccepted: .notAccepted
        case .guardRejected: .guardRejected
        case .finished, .failed: .finished
        case .expressionFailed, .invalidData: .expressionFailed
        case .livelock: .livelock
        }
    }
}
