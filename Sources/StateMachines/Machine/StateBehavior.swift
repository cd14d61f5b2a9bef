/// What a state does for the program. Each method may be left out.
public protocol StateBehavior<Machine>: AnyObject {
    /// Whose state it is.
    associatedtype Machine: MachineDefinition

    /// The state was entered; nil when the machine was in it before anybody asked.
    func didEnter(from previous: Machine.StateName?)
    /// The state was left. Told after the move, before what was entered with it is.
    func willExit(to next: Machine.StateName)
    /// Time went on while the state was active.
    func update(deltaTime: Duration)
}

extension StateBehavior {
    public func didEnter(from previous: Machine.StateName?) {}
    public func willExit(to next: Machine.StateName) {}
    public func update(deltaTime: Duration) {}
}
