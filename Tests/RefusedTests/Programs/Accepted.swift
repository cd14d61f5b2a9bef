// What compiles: else all that is refused beside it would say nothing.
import StateMachines

enum Light: MachineDefinition {
    enum State: String, MachineState { case red, green }
    enum Event: String, MachineEvent { case go, stop }

    struct Context: Codable, Sendable { var rounds = 0 }

    static let definition = Definition<Self>("light", initial: .red, context: Context()) {
        Path(from: .red, to: .green, by: .go, if: "context.rounds < 100")
        In(.green, entry: [.assign(["rounds": "context.rounds + 1"])]) {
            On(.stop, to: .red)
            After(.seconds(60), .raise(.stop))
        }
    }
}

let machine = try StateMachine(Light.self)
machine.shouldTransition = { _, to in to != .green }
_ = machine.attempt(.go)
let light = try await MemoryHost().start(Light.self, "light-1")
_ = try await light.send(.go)
