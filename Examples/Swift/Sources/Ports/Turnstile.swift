public import StateMachines

/// The turnstile in the tests of Tinder's StateMachine: coins open it, and its side effects are outputs.
public enum Turnstile: MachineDefinition {
    /// `working` remembers whether it was locked, so that a repair leads back there.
    public enum State: String, MachineState {
        case working, locked = "working.locked", unlocked = "working.unlocked", before = "working.before", broken
    }

    public enum Event: EventValue, Codable {
        case insertCoin(Int), admitPerson, machineDidFail, machineRepairDidComplete

        public enum Name: String, MachineEvent, CodingKey {
            case insertCoin, admitPerson, machineDidFail, machineRepairDidComplete
        }
        typealias CodingKeys = Name
    }

    public struct Context: Codable, Sendable, Equatable {
        public var credit = 0
    }

    public static let definition = Definition<Self>("turnstile", initial: .working, context: Context()) {
        In(.working, initial: .locked) { On(.machineDidFail, to: .broken, .emit("orderRepair")) }
        In(.locked) {
            On(
                .insertCoin, to: .unlocked, if: "context.credit + event.data >= 50", .assign(["credit": 0]),
                .emit("openDoors"))
            On(.insertCoin, .assign(["credit": "context.credit + event.data"]))
            On(.admitPerson, .emit("soundAlarm"))
        }
        In(.unlocked) { On(.admitPerson, to: .locked, .emit("closeDoors")) }
        In(.before, .history)
        In(.broken) { On(.machineRepairDidComplete, to: .before) }
    }
}
