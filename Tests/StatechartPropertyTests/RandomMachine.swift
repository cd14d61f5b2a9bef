import NaiveStatechart
import StateMachines
import Statechart
import Synchronization

/// The seed of a random machine as a type: `One<Zero<NoDigit>>` is 2, the first digit outermost.
protocol SeedType: Sendable {
    static var seed: UInt64 { get }
}

enum NoDigit: SeedType { static var seed: UInt64 { 0 } }
enum Zero<Rest: SeedType>: SeedType { static var seed: UInt64 { Rest.seed * 2 } }
enum One<Rest: SeedType>: SeedType { static var seed: UInt64 { Rest.seed * 2 + 1 } }

/// A random machine with one active leaf at a time, as a program would write it.
enum RandomMachine<Seed: SeedType>: MachineDefinition {
    struct State: MachineState {
        let rawValue: String
        static var allCases: [State] { parts.machine.states.dropFirst().map { State(rawValue: $0.path) } }
    }

    struct Event: MachineEvent {
        let rawValue: String
        static var allCases: [Event] { (parts.machine.events + ["unknown"]).map(Event.init(rawValue:)) }
    }

    typealias Context = JSONValue

    static var definition: Definition<Self> { Definition(text: parts.text) }

    static var parts: RandomParts { RandomParts.of(seed: Seed.seed) }
}

/// The definition of a random machine, and the machine.
struct RandomParts {
    let text: String
    let machine: Machine

    private static let known = Mutex<[UInt64: RandomParts]>([:])

    /// Returns the parts for a seed; of the machines that the generator draws, the first legal one.
    static func of(seed: UInt64) -> RandomParts {
        if let parts = known.withLock({ $0[seed] }) { return parts }
        var generator = MachineGenerator(seed: seed)
        while true {
            let text = generator.sequentialMachine().definition.compact
            guard let machine = try? DefinitionReader.read(text, syntax: .json).machine else { continue }
            let parts = RandomParts(text: text, machine: machine)
            known.withLock { $0[seed] = parts }
            return parts
        }
    }
}
