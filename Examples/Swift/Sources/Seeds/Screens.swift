public import StateMachines

/// A table of routes between screens: (state, event) -> state. What is not in it is refused, and changes nothing.
public enum Screens: MachineDefinition {
    public enum State: String, MachineState { case initial, greeting, login, home }
    public enum Event: String, MachineEvent { case launch, start, loggedIn }

    public static let definition = Definition<Self>("screens", initial: .initial) {
        Path(from: .initial, to: .greeting, by: .launch)
        Path(from: .greeting, to: .login, by: .start)
        Path(from: .login, to: .home, by: .loggedIn)
    }
}
