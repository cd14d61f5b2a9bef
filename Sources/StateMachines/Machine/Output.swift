public import WorkflowJSON

/// An event that a machine emits to its program with the action `.emit`: a flash, a sound, a message.
///
/// `StateMachine.onOutput` hears outputs, and `Transition.outputs` lists those of a move.
public struct Output: Hashable, Sendable {
    public let name: String
    /// The data of the output; `nil` if it has none.
    public let data: JSONValue?

    public init(name: String, data: JSONValue? = nil) {
        self.name = name
        self.data = data
    }
}
