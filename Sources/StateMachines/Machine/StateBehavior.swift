/// The program's code for a state, as a class. Each method is optional, so the compiler does not find a misspelt one.
/// Closures cannot be misspelt: `StateMachine.onEnter(_:_:)` and `StateMachine.onExit(_:_:)`.
public protocol StateBehavior<Machine>: AnyObject {
    /// The machine that has the state.
    associatedtype Machine: MachineDefinition

    /// Called after the state was entered. `previous` is `nil` if the state was active when the behavior was set.
    func didEnter(from previous: Machine.StateName?)
    /// Called before the state is left: the machine still has its old state and context. An event that is sent here is
    /// refused (`busy`).
    func willExit(to next: Machine.StateName)
    /// Called when time advanced while the state was active.
    func update(deltaTime: Duration)
}

extension StateBehavior {
    public func didEnter(from previous: Machine.StateName?) {}
    public func willExit(to next: Machine.StateName) {}
    public func update(deltaTime: Duration) {}
}
