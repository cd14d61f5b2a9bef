internal import Statechart
public import WorkflowJSON

/// Where an instance is: what a state value is made from.
public struct StateReading<Name: MachineState>: Sendable {
    let names: StateNames<Name>
    let configuration: [StateIndex]
    /// The instance's data.
    public let context: JSONObject

    /// The active states, outermost first, regions in their order.
    public var active: [Name] { names.names(of: configuration) }

    /// The innermost active state; of a parallel state that of its last region.
    public var leaf: Name {
        guard let last = configuration.last, let name = names[last] else {
            preconditionFailure("an instance is in a state, and each has a name")
        }
        return name
    }
}

/// A compiled machine and the Swift names of its states.
final class StateNames<Name: MachineState>: Sendable {
    let machine: Machine
    /// By state; nil for the root.
    private let byState: [Name?]

    /// - Parameter owner: What lacks a name, in messages.
    init(_ machine: Machine, of owner: String) throws(MachineMismatch) {
        self.machine = machine
        var byState: [Name?] = [nil]
        for state in machine.states.dropFirst() {
            guard let name = Name(rawValue: state.path) else {
                throw MachineMismatch("has the state '\(state.path)' that \(owner) lacks")
            }
            byState.append(name)
        }
        self.byState = byState
    }

    subscript(state: StateIndex) -> Name? { byState[state.offset] }

    /// The names of states; the root has none.
    func names(of states: [StateIndex]) -> [Name] { states.compactMap { byState[$0.offset] } }

    /// The names of the leaves among them.
    func leaves(of configuration: [StateIndex]) -> [Name] {
        configuration.compactMap { machine[$0].isLeaf ? byState[$0.offset] : nil }
    }
}
