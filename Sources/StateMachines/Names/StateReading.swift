internal import Statechart
public import WorkflowJSON

/// The position of an instance, from which a state value is made.
public struct StateReading<Name: MachineState>: Sendable {
    @usableFromInline let names: StateNames<Name>
    @usableFromInline let position: UntypedMove

    @usableFromInline
    init(_ names: StateNames<Name>, at position: UntypedMove) {
        self.names = names
        self.position = position
    }

    /// The instance's data.
    public var context: JSONObject { position.after.context }

    /// The active states, outermost first, with regions in document order.
    public var active: [Name] { names.names(of: configuration) }

    /// The innermost active state; in a parallel state that of its last region.
    @inlinable public var leaf: Name {
        guard let name = names.byState[position.leaf] else {
            preconditionFailure("an instance is in a state, and each has a name")
        }
        return name
    }

    var configuration: [StateIndex] { position.after.configuration }
}

/// A compiled machine and the Swift names of its states.
@usableFromInline
final class StateNames<Name: MachineState>: Sendable {
    let machine: Machine
    let values = StateValues()
    /// The names by state; `nil` for the root.
    @usableFromInline let byState: [Name?]
    private let places: SwiftPlaces?

    /// Maps each state of the machine to a name.
    ///
    /// - Parameters:
    ///   - owner: The type that lacks a name, for messages.
    ///   - places: The places of the machine's text in Swift; `nil` for a text that was given.
    init(_ machine: Machine, of owner: String, places: SwiftPlaces?) throws(MachineMismatch) {
        self.machine = machine
        self.places = places
        var byState: [Name?] = [nil]
        for state in machine.states.dropFirst() {
            guard let name = Name(rawValue: state.path) else {
                throw MachineMismatch("has the state '\(state.path)' that \(owner) lacks")
            }
            byState.append(name)
        }
        self.byState = byState
    }

    /// Returns a message of the step with places in Swift instead of lines of the text.
    func placed(_ message: String) -> String { places?.placed(message) ?? message }

    subscript(state: StateIndex) -> Name? { byState[state.offset] }

    /// Returns the names of states; the root has none.
    func names(of states: [StateIndex]) -> [Name] { states.compactMap { byState[$0.offset] } }

    /// Returns the names of the leaves in a configuration.
    func leaves(of configuration: [StateIndex]) -> [Name] {
        configuration.compactMap { machine[$0].isLeaf ? byState[$0.offset] : nil }
    }
}
