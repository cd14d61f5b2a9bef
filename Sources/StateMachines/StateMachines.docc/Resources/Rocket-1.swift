public import StateMachines

/// A rocket with two buttons: counts down from 5, one step each second, and is launched at 0.
public enum Rocket: MachineDefinition {
    // Dots make the tree: `tick` lies in `countdown`.
    public enum State: String, MachineState { case standby, countdown, tick = "countdown.tick", launched }
    public enum Event: String, MachineEvent { case fire, abort, land }
}
