package import WorkflowJSON

/// A plan by which instances migrate from one machine to another, as a person writes it.
package struct ModelPlan: Equatable, Sendable {
    /// The value of a key in the new data, computed over the old data.
    package enum Value: Equatable, Sendable {
        case literal(JSONValue)
        /// The value of another key. The computation fails if there is none.
        case key(String)
        /// A computation that fails, because it divides by zero.
        case fails
    }

    /// The paths of the new machine by paths of the old one. A state moves with all states below it.
    package var map: [String: String] = [:]
    package var assign: [String: Value] = [:]
    /// The paths of old states, and keys of the old data, to drop.
    package var drop: [String] = []
    /// True if new delays count from the migration; otherwise they count from the instance's entry into its state.
    package var countsFromNow = false
    package var cancelsInvocations = false

    package init() {}

    /// Returns true if the plan names only existing states and keys.
    func isPossible(from old: ModelMachine, to new: ModelMachine) -> Bool {
        let arePlaces = map.allSatisfy { path, target in
            guard let state = old.state(at: path), let place = new.state(at: target) else { return false }
            return !place.isHistory || state.isHistory
        }
        return arePlaces && assign.keys.allSatisfy { new.context[$0] != nil }
    }
}

extension ModelMachine {
    /// Returns the state with a path, except the root.
    package func state(at path: String) -> ModelState? { states.dropFirst().first { $0.path == path } }
}
