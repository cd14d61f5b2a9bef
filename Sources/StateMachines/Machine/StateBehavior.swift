/// The program's code for a state. Each method is optional.
public protocol StateBehavior<Machine>: AnyObject {
    /// The machine that has the state.
    associatedtype Machine: MachineDefinition

    /// Called after the state was entered. `previous` is `nil` if the state was active when the behavior was set.
    func didEnter(from previous: Machine.StateName?)
    /// Called after the state was left, before the behaviors of the entered states.
    func willExit(to next: Machine.StateName)
    /// Called when time advanced while the state was active.
    func update(deltaTime: Duration)
}

extension StateBehavior {
    public func didEnter(from previous: Machine.StateName?) {}
    public func willExit(to next: Machine.StateName) {}
    public func update(deltaTime: Duration) {}
}
