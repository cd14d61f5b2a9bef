// A context of which nobody says with what it begins.
import StateMachines

enum Counter: MachineDefinition {
    enum State: String, MachineState { case idle }
    enum Event: String, MachineEvent { case count }

    struct Context: Codable, Sendable { var count: Int }

    // error: 'init(_:initial:strict:_:)' is unavailable: it lacks 'context': what a new instance keeps
    static let definition = Definition<Self>("counter", initial: .idle) {
        In(.idle) { On(.count) }
    }
}

enum Both: MachineDefinition {
    enum State: String, MachineState { case left, right }
    enum Event: String, MachineEvent { case count }

    struct Context: Codable, Sendable { var count: Int }

    // error: 'init(parallel:strict:_:)' is unavailable: it lacks 'context': what a new instance keeps
    static let definition = Definition<Self>(parallel: "both") {
        In(.left) { On(.count) }
    }
}

enum Unsaid: MachineDefinition {
    enum State: String, MachineState { case idle }
    enum Event: String, MachineEvent { case count }

    struct Context: Codable, Sendable { var count: Int }

    // error: missing argument for parameter 'count' in call
    static let definition = Definition<Self>("unsaid", initial: .idle, context: Context()) {
        In(.idle) { On(.count) }
    }
}
