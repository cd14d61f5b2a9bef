// An event without its data, with another's, or with some where it has none.
import StateMachines

enum Counter: MachineDefinition {
    enum State: String, MachineState { case idle, counting }
    enum Event: EventValue, Encodable {
        case begin(count: Int), end

        enum Name: String, MachineEvent, CodingKey { case begin, end }
        typealias CodingKeys = Name
    }

    static let definition = Definition<Self>("counter", initial: .idle) {
        Path(from: .idle, to: .counting, by: .begin)
        Path(from: .counting, to: .idle, by: .end)
    }
}

func begin(_ machine: StateMachine<Counter>, _ instance: Instance<Counter>) async throws {
    // error: member 'begin(count:)' expects argument of type 'Int'
    try machine.send(.begin)
    // error: cannot convert value of type 'String' to expected argument type 'Int'
    try machine.send(.begin(count: "3"))
    // error: enum case 'end' has no associated values
    try machine.send(.end(3))
    // error: member 'begin(count:)' expects argument of type 'Int'
    _ = machine.attempt(.begin)
    // error: member 'begin(count:)' expects argument of type 'Int'
    try await instance.send(.begin)
}
