public import StateMachines

/// The first example of SwiftState's README: 0 leads to 1, any state to 2, and 2 to any.
///
/// SwiftState goes to a state, with a message; here an event leads there, with the message as its data.
public enum Numbers: MachineDefinition {
    public enum State: String, MachineState { case state0, state1, state2 }

    public enum Event: EventValue, Codable {
        case to0(message: String?), to1(message: String?), to2(message: String?)

        public enum Name: String, MachineEvent, CodingKey { case to0, to1, to2 }
        typealias CodingKeys = Name
    }

    public static let definition = Definition<Self>("numbers", initial: .state0) {
        Path(from: .state0, to: .state1, by: .to1)
        Path(from: [.state0, .state1, .state2], to: .state2, by: .to2)
        Path(from: .state2, to: .state0, by: .to0)
        Path(from: .state2, to: .state1, by: .to1)
    }
}

/// The second example of that README: one event leads from 0 to 1, then to 2.
public enum Steps: MachineDefinition {
    public enum State: String, MachineState { case state0, state1, state2 }
    public enum Event: String, MachineEvent { case event0, event1 }

    public static let definition = Definition<Self>("steps", initial: .state0) {
        Path(from: .state0, to: .state1, by: .event0)
        Path(from: .state1, to: .state2, by: .event0)
    }
}
